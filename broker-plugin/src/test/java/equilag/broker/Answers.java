package equilag.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;

/** What must be true of every answer. */
final class Answers {
    private Answers() {
    }

    /** Every partition that somebody is subscribed to has one owner, who is; nothing else has. */
    static Map<String, List<String>> assertValid(Scene scene, GroupAssignment answer) {
        Map<String, List<String>> owners = Scene.owners(answer);
        Map<String, Set<String>> takers = scene.takers();
        assertEquals(takers.keySet(), owners.keySet());
        owners.forEach((partition, found) -> {
            assertEquals(1, found.size(), partition);
            assertTrue(takers.get(partition).contains(found.get(0)), partition);
        });
        assertEquals(scene.members.keySet(), answer.members().keySet());
        return owners;
    }

    /** As valid, and each partition that a taker has stays with one of those that have it. */
    static void assertHeld(Scene scene, GroupAssignment answer) {
        Map<String, List<String>> owners = assertValid(scene, answer);
        Map<String, List<String>> before = scene.owners();
        scene.takers().forEach((partition, takers) -> {
            List<String> held = before.getOrDefault(partition, List.of());
            if (held.stream().anyMatch(takers::contains)) {
                assertTrue(held.contains(owners.get(partition).get(0)), partition);
            }
        });
    }
}
