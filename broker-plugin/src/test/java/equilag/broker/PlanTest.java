package equilag.broker;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.junit.jupiter.api.Test;

/** Plans in the rack ids of carriers: carried out, or refused as a whole. */
class PlanTest {
    private static final String SECRET = "a secret";

    private static Scene scene(Random random) {
        Scene scene = Scene.any(
            random, 1 + random.nextInt(8), 1 + random.nextInt(5), 12, random.nextBoolean());
        scene.scatter(random, random.nextBoolean() ? 0 : 0.2);
        return scene;
    }

    private static EquilagAssignor assignor(String key) {
        EquilagAssignor assignor = new EquilagAssignor();
        assignor.configure(key == null ? Map.of() : Map.of(EquilagAssignor.KEY, key));
        return assignor;
    }

    @Test
    void aPlanThatFitsIsCarriedOut() {
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            Scene scene = scene(random);
            Group group = new Group(scene, scene);
            int[] plan = PlanWriter.anyOwners(group, random);
            String key = random.nextBoolean() ? SECRET : null;
            List<String> pieces = new ArrayList<>(
                PlanWriter.pieces(group, plan, random.nextLong(), 1 + random.nextInt(4), key));
            Collections.shuffle(pieces, random);
            scene.addCarriers(pieces);
            GroupAssignment answer = assignor(key).assign(scene, scene);
            Answers.assertValid(scene, answer);
            assertPlanned(group, plan, answer);
        }
    }

    private static void assertPlanned(Group group, int[] plan, GroupAssignment answer) {
        Map<String, List<String>> owners = Scene.owners(answer);
        for (int topic = 0; topic < group.topics.length; topic++) {
            for (int at = group.first[topic]; at < group.first[topic + 1]; at++) {
                String partition = group.topics[topic] + "-" + (at - group.first[topic]);
                assertEquals(List.of(group.workers[plan[at]]), owners.get(partition));
            }
        }
    }

    @Test
    void aPlanThatIsNotInOrderHolds() {
        for (int seed = 0; seed < 10_000; seed++) {
            Random random = new Random(seed);
            Scene scene = scene(random);
            Group group = new Group(scene, scene);
            int[] plan = PlanWriter.anyOwners(group, random);
            List<String> pieces = new ArrayList<>(
                PlanWriter.pieces(group, plan, seed, 1 + random.nextInt(3), SECRET));
            spoil(seed % 9, scene, group, plan, pieces, random);
            scene.addCarriers(pieces);
            GroupAssignment answer = assignor(SECRET).assign(scene, scene);
            Answers.assertHeld(scene, answer);
            // A plan that was carried out could look like a hold.
            Group now = group(scene);
            assertEquals(Scene.owners(Answer.of(now, Hold.owners(now))), Scene.owners(answer));
        }
    }

    private static Group group(Scene scene) {
        return new Group(scene, scene);
    }

    private static void spoil(
        int way, Scene scene, Group group, int[] plan, List<String> pieces, Random random) {
        int one = random.nextInt(pieces.size());
        String piece = pieces.get(one);
        switch (way) {
            case 0 -> { // a bit is another one
                byte[] bytes = PlanWriter.bytes(piece);
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                pieces.set(one, PlanWriter.text(bytes));
            }
            case 1 -> // cut
                pieces.set(one, piece.substring(0, 8 + random.nextInt(piece.length() - 8)));
            case 2 -> // forged: made without the key, or with another one
                Collections.copy(pieces, PlanWriter.pieces(
                    group, plan, 1, pieces.size(), random.nextBoolean() ? null : "another"));
            case 3 -> // mixed with a piece of another plan
                pieces.add(PlanWriter.pieces(
                    group, plan, -1, pieces.size() + 1, SECRET).get(pieces.size()));
            case 4 -> // one is there twice
                pieces.add(piece);
            case 5 -> // stale: a member left, or came
                changeMembers(scene, group, random);
            case 6 -> { // stale: a topic grew, came or went
                Uuid topic = group.topics[random.nextInt(group.topics.length)];
                switch (random.nextInt(3)) {
                    case 0 -> scene.topics.merge(topic, 1, Integer::sum);
                    case 1 -> scene.topics.remove(topic);
                    default -> {
                        Uuid another = Scene.topic(random);
                        scene.topics.put(another, 1);
                        scene.add(group.workers[0], null, Set.of(another));
                    }
                }
            }
            case 7 -> { // it names nobody
                plan[random.nextInt(plan.length)] = group.workers.length + random.nextInt(99);
                Collections.copy(
                    pieces, PlanWriter.pieces(group, plan, 1, pieces.size(), SECRET));
            }
            default -> { // anything at all
                byte[] bytes = new byte[random.nextInt(200)];
                random.nextBytes(bytes);
                pieces.set(one, random.nextBoolean()
                    ? PlanWriter.text(bytes)
                    : "equilag:" + new String(bytes, ISO_8859_1));
            }
        }
    }

    private static void changeMembers(Scene scene, Group group, Random random) {
        if (group.workers.length > 1 && random.nextBoolean()) {
            scene.remove(group.workers[random.nextInt(group.workers.length)]);
        } else {
            scene.add("one more", null, Set.copyOf(scene.topics.keySet()));
        }
    }

    @Test
    void aMissingPieceHolds() {
        Random random = new Random(1);
        Scene scene = scene(random);
        Group group = group(scene);
        List<String> pieces =
            PlanWriter.pieces(group, PlanWriter.anyOwners(group, random), 1, 3, null);
        scene.addCarriers(pieces.subList(0, 2));
        Answers.assertHeld(scene, assignor(null).assign(scene, scene));
    }

    @Test
    void aTopicForOneThatIsNotSubscribedHolds() {
        Random random = new Random(2);
        Scene scene = new Scene();
        Uuid both = Scene.topic(random);
        Uuid single = Scene.topic(random);
        scene.topics.putAll(Map.of(both, 2, single, 2));
        scene.add("a", null, Set.of(both, single));
        scene.add("b", null, Set.of(both));
        Group group = group(scene);
        int[] plan = new int[group.partitions()];
        Arrays.fill(plan, 1);
        scene.addCarriers(PlanWriter.pieces(group, plan, 1, 1, null));
        Answers.assertHeld(scene, assignor(null).assign(scene, scene));
    }

    /** Deflated zeros of some megabytes: not more is made of them than a plan may have. */
    @Test
    void whatInflatesWithoutEndHolds() {
        Random random = new Random(3);
        Scene scene = scene(random);
        Group group = group(scene);
        scene.addCarriers(
            PlanWriter.pieces(group, new int[3_000_000 + group.partitions()], 1, 2, null));
        Answers.assertHeld(scene, assignor(null).assign(scene, scene));
    }

    @Test
    void thousandMembersWithFiftyThousandPartitionsFitIntoFourCarriers() {
        Random random = new Random(4);
        Scene scene = new Scene();
        for (int topic = 0; topic < 100; topic++) {
            scene.topics.put(Scene.topic(random), 500);
        }
        for (int member = 0; member < 1000; member++) {
            scene.add(Uuid.randomUuid().toString(), null, scene.topics.keySet());
        }
        Group group = group(scene);
        int[] plan = PlanWriter.anyOwners(group, random);
        List<String> pieces = PlanWriter.pieces(group, plan, 1, 4, null);
        assertTrue(pieces.stream().allMatch(piece -> piece.length() <= Short.MAX_VALUE));
        scene.addCarriers(pieces);
        assertPlanned(group, plan, assignor(null).assign(scene, scene));
    }
}
