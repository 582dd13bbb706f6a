package equilag.broker;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;

/** Owners as the broker takes them; carriers get nothing. */
final class Answer {
    private record Share(Map<Uuid, Set<Integer>> partitions) implements MemberAssignment {
    }

    private Answer() {
    }

    static GroupAssignment of(Group group, int[] owners) {
        Map<String, MemberAssignment> members = new HashMap<>();
        for (String carrier : group.carriers) {
            members.put(carrier, new Share(Map.of()));
        }
        Share[] shares = new Share[group.workers.length];
        for (int worker = 0; worker < shares.length; worker++) {
            shares[worker] = new Share(new HashMap<>());
            members.put(group.workers[worker], shares[worker]);
        }
        for (int topic = 0; topic < group.topics.length; topic++) {
            for (int at = group.first[topic]; at < group.first[topic + 1]; at++) {
                shares[owners[at]].partitions()
                    .computeIfAbsent(group.topics[topic], id -> new HashSet<>())
                    .add(at - group.first[topic]);
            }
        }
        return new GroupAssignment(members);
    }
}
