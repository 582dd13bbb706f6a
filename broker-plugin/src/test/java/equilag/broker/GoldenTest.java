package equilag.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.junit.jupiter.api.Test;

/** Plans that `plan_form.py` wrote; `tests/support/plan_goldens.py` says how they are filed. */
class GoldenTest {
    private static final class Case {
        final Scene scene = new Scene();
        final EquilagAssignor assignor = new EquilagAssignor();
        final List<Uuid> topics = new ArrayList<>();
        final List<String> members = new ArrayList<>();
        final List<String> pieces = new ArrayList<>();
        String owners = "";

        void read(String[] words) {
            switch (words[0]) {
                case "case" -> assignor.configure(
                    words[2].equals("-") ? Map.of() : Map.of(EquilagAssignor.KEY, words[2]));
                case "topic" -> {
                    topics.add(new Uuid(
                        Long.parseUnsignedLong(words[1].substring(0, 16), 16),
                        Long.parseUnsignedLong(words[1].substring(16), 16)));
                    scene.topics.put(topics.get(topics.size() - 1), Integer.valueOf(words[2]));
                }
                case "member" -> {
                    Set<Uuid> subscribed = new LinkedHashSet<>();
                    for (String number : words[2].split(",")) {
                        subscribed.add(topics.get(Integer.parseInt(number)));
                    }
                    members.add(words[1]);
                    scene.add(words[1], null, subscribed);
                }
                case "owners" -> owners = words[1];
                default -> pieces.add(words[1]);
            }
        }

        void check() {
            scene.addCarriers(pieces);
            GroupAssignment answer = assignor.assign(scene, scene);
            Map<String, List<String>> found = Answers.assertValid(scene, answer);
            if (owners.equals("hold")) {
                Group group = new Group(scene, scene);
                assertEquals(Scene.owners(Answer.of(group, Hold.owners(group))), found);
                return;
            }
            Map<String, List<String>> expected = new HashMap<>();
            String[] numbers = owners.split(",");
            int at = 0;
            for (Uuid topic : topics) {
                for (int partition = 0; partition < scene.topics.get(topic); partition++) {
                    String owner = members.get(Integer.parseInt(numbers[at++]));
                    expected.put(topic + "-" + partition, List.of(owner));
                }
            }
            assertEquals(expected, found);
        }
    }

    @Test
    void javaReadsWhatPythonWrites() throws IOException {
        List<Case> cases = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                GoldenTest.class.getResourceAsStream("/plans.txt"), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("case ")) {
                    cases.add(new Case());
                }
                cases.get(cases.size() - 1).read(line.split(" "));
            }
        }
        assertEquals(3, cases.size());
        cases.forEach(Case::check);
    }
}
