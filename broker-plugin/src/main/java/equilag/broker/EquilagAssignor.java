package equilag.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out plans that members of the group bring in their rack ids. A plan that fits is the
 * assignment; while there is one that does not, the group is held as it is. A group without a plan
 * gets an even, sticky assignment.
 *
 * <p>The broker calls it from several threads, and what it throws ends all consumers of the group:
 * so it has no state but its key, and catches everything.
 */
public final class EquilagAssignor implements ConsumerGroupPartitionAssignor, Configurable {
    /** In a broker's properties: the secret, as text, with which plans must have been made. */
    public static final String KEY = "equilag.plan.key";

    private static final Logger LOG = LoggerFactory.getLogger(EquilagAssignor.class);
    private static final GroupAssignment NOTHING = new GroupAssignment(Map.of());

    private volatile byte[] key;

    @Override
    public void configure(Map<String, ?> properties) {
        Object secret = properties.get(KEY);
        key = secret == null || secret.toString().isEmpty() ? null : secret.toString().getBytes(UTF_8);
    }

    @Override
    public String name() {
        return "equilag";
    }

    @Override
    public GroupAssignment assign(GroupSpec spec, SubscribedTopicDescriber describer) {
        try {
            Group group = new Group(spec, describer);
            return Answer.of(group, owners(group));
        } catch (Throwable unexpected) {
            return unchanged(spec);
        }
    }

    private int[] owners(Group group) {
        try {
            if (group.carriers.isEmpty()) {
                return Levelling.owners(group);
            }
            return PlanForm.owners(PlanPieces.join(group.pieces, key), group);
        } catch (Refused refused) {
            LOG.info("A plan is refused, the group is held: {}.", refused.getMessage());
        } catch (Throwable unexpected) {
            LOG.warn("The group is held.", unexpected);
        }
        return Hold.owners(group);
    }

    private static GroupAssignment unchanged(GroupSpec spec) {
        try {
            Map<String, MemberAssignment> members = new HashMap<>();
            for (String id : spec.memberIds()) {
                members.put(id, spec.memberAssignment(id));
            }
            return new GroupAssignment(members);
        } catch (Throwable unexpected) {
            return NOTHING;
        }
    }
}
