package equilag.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.MemberSubscription;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.junit.jupiter.api.Test;

/** Groups without a plan, beside Kafka's UniformAssignor; brokers that tell nonsense. */
class AssignorTest {
    private static final int ROUNDS = 12;

    private final EquilagAssignor own = new EquilagAssignor();
    private final UniformAssignor uniform = new UniformAssignor();

    @Test
    void whateverTheTargetTheAnswerIsValid() {
        for (int seed = 0; seed < 1000; seed++) {
            Random random = new Random(seed);
            Scene scene = Scene.any(
                random, 1 + random.nextInt(9), 1 + random.nextInt(6), 15, random.nextBoolean());
            scene.scatter(random, 0.2);
            scene.topics.remove(scene.topics.keySet().iterator().next());
            Answers.assertValid(scene, own.assign(scene, scene));
        }
    }

    /** Counts are never less even, and in sum far fewer partitions move where they are equal. */
    @Test
    void asEvenAsUniformWithFewerMoves() {
        int moves = 0;
        int uniformMoves = 0;
        for (int seed = 0; seed < 1000; seed++) {
            Scene scene = settledThenChanged(new Random(seed), seed % 3 == 0);
            GroupAssignment answer = own.assign(scene, scene);
            GroupAssignment other = uniform.assign(scene, scene);
            Answers.assertValid(scene, answer);
            int order = Arrays.compare(counts(answer), counts(other));
            assertTrue(order <= 0, "seed " + seed);
            if (order == 0) {
                moves += moves(scene, answer);
                uniformMoves += moves(scene, other);
            }
            if (scene.subscriptionType() == SubscriptionType.HOMOGENEOUS) {
                assertEquals(fewestMoves(scene), moves(scene, answer), "seed " + seed);
            }
        }
        assertTrue(moves < uniformMoves, moves + " and " + uniformMoves);
    }

    private Scene settledThenChanged(Random random, boolean alike) {
        Scene scene =
            Scene.any(random, 2 + random.nextInt(12), 1 + random.nextInt(8), 20, alike);
        if (random.nextBoolean()) {
            scene.scatter(random, 0);
            return scene;
        }
        scene.become(own.assign(scene, scene));
        List<String> ids = List.copyOf(scene.members.keySet());
        if (random.nextBoolean()) {
            scene.remove(ids.get(ids.size() - 1));
        } else {
            Set<Uuid> subscribed = scene.members.get(ids.get(1)).subscribedTopicIds();
            scene.add("one more", null, subscribed);
        }
        return scene;
    }

    /** Descending. */
    private static int[] counts(GroupAssignment assignment) {
        return assignment.members().values().stream()
            .mapToInt(share -> -share.partitions().values().stream().mapToInt(Set::size).sum())
            .sorted().map(count -> -count).toArray();
    }

    /** Of members that all read the same: nobody can keep more than a fair share. */
    private static int fewestMoves(Scene scene) {
        int partitions = scene.takers().size();
        int share = partitions / scene.members.size();
        int more = partitions % scene.members.size();
        int moves = 0;
        for (String id : scene.members.keySet()) {
            int held = scene.memberAssignment(id).partitions().values().stream()
                .mapToInt(Set::size).sum();
            int kept = Math.min(held, share + (more > 0 ? 1 : 0));
            more -= kept > share ? 1 : 0;
            moves += held - kept;
        }
        return moves;
    }

    private static int moves(Scene scene, GroupAssignment assignment) {
        Map<String, List<String>> owners = Scene.owners(assignment);
        return (int) scene.owners().entrySet().stream()
            .filter(held -> !held.getValue().equals(owners.get(held.getKey()))).count();
    }

    /** In units of UniformAssignor's time for a new group of this size, all of them warm. */
    @Test
    void thousandMembersWithFiftyThousandPartitionsAreBounded() {
        Random random = new Random(1);
        Scene scene = new Scene();
        for (int topic = 0; topic < 100; topic++) {
            scene.topics.put(Scene.topic(random), 500);
        }
        for (int member = 0; member < 1000; member++) {
            scene.add("member-" + member, null, new LinkedHashSet<>(scene.topics.keySet()));
        }
        long unit = least(uniform, scene);
        Group group = new Group(scene, scene);
        List<String> plan =
            PlanWriter.pieces(group, PlanWriter.anyOwners(group, random), 1, 4, null);
        scene.scatter(random, 0);
        long levelled = least(own, scene);
        scene.addCarriers(plan);
        long planned = least(own, scene);
        scene.add("carrier-0", plan.get(0) + "A", Set.of());
        long held = least(own, scene);
        for (long time : new long[] {levelled, planned, held}) {
            assertTrue(time < 25 * unit, "%d, %d, %d µs in %d µs".formatted(
                levelled / 1000, planned / 1000, held / 1000, unit / 1000));
        }
        System.out.printf("1,000 x 50,000 warm, UniformAssignor's new group %d us: levelled %d, "
            + "planned %d, held %d us%n", unit / 1000, levelled / 1000, planned / 1000, held / 1000);
    }

    private static long least(ConsumerGroupPartitionAssignor assignor, Scene scene) {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            assignor.assign(scene, scene);
            long time = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
            least = Math.min(least, time);
        }
        return least;
    }

    /** A broker whose answers fail, one after the other; never an exception, never null. */
    @Test
    void nothingIsThrown() {
        Random random = new Random(1);
        Scene scene = Scene.any(random, 3, 2, 5, true);
        scene.scatter(random, 0);
        for (int working = 0; working < 40; working++) {
            Failing failing = new Failing(scene, working);
            Map<String, MemberAssignment> members = own.assign(failing, failing).members();
            assertTrue(members.isEmpty() || members.keySet().equals(scene.members.keySet()));
        }
        assertTrue(own.assign(null, null).members().isEmpty());
    }

    /** Answers so many questions, then throws an error, then works again for the last resort. */
    private static final class Failing implements GroupSpec, SubscribedTopicDescriber {
        private final Scene scene;
        private int working;

        Failing(Scene scene, int working) {
            this.scene = scene;
            this.working = working;
        }

        private Scene scene() {
            if (working-- == 0) {
                throw new StackOverflowError();
            }
            return scene;
        }

        @Override
        public Collection<String> memberIds() {
            return scene().memberIds();
        }

        @Override
        public SubscriptionType subscriptionType() {
            return scene().subscriptionType();
        }

        @Override
        public boolean isPartitionAssigned(Uuid topic, int partition) {
            return scene().isPartitionAssigned(topic, partition);
        }

        @Override
        public MemberSubscription memberSubscription(String id) {
            return scene().memberSubscription(id);
        }

        @Override
        public MemberAssignment memberAssignment(String id) {
            return scene().memberAssignment(id);
        }

        @Override
        public int numPartitions(Uuid topic) {
            return scene().numPartitions(topic);
        }

        @Override
        public Set<String> racksForPartition(Uuid topic, int partition) {
            return scene().racksForPartition(topic, partition);
        }
    }
}
