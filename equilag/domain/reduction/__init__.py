"""From a group with capacities, racks, units or pins to the reduced group that is planned."""
