package equilag.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.utils.internals.AppInfoParser;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;

/**
 * Measures one assignor on one case: Runner CASE ASSIGNOR OUT WARM_S MEASURE_S.
 *
 * <p>Prints "call" before each call and "end" after it, so that who started this can end a call
 * that takes too long. The rules of measuring are those of benchmarks/assignors/exchange.py.
 */
public final class Runner {

    private static final int MOST_CALLS = 200;
    private static final int FEWEST_CALLS = 3;
    private static final double SLOW_S = 5;
    private static final int MOST_ROUNDS = 5;

    private final CaseFile group;
    private final List<Double> assignMs = new ArrayList<>();
    private final List<Double> namesMs = new ArrayList<>();
    /** What the last call answered. */
    private Map<String, Map<String, List<Integer>>> assignment = Map.of();

    private Runner(CaseFile group) {
        this.group = group;
    }

    public static void main(String[] arguments) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        CaseFile group = CaseFile.read(new File(arguments[0]), mapper);
        double warm = Double.parseDouble(arguments[3]);
        double measure = Double.parseDouble(arguments[4]);
        Map<String, Object> answer;
        try {
            answer = new Runner(group).measured(peer(arguments[1]), warm, measure);
        } catch (RuntimeException | OutOfMemoryError error) {
            answer = new LinkedHashMap<>(Map.of("error", error.toString()));
        }
        answer.put("version", "kafka " + AppInfoParser.getVersion());
        mapper.writeValue(new File(arguments[2]), answer);
    }

    private static Peer<?, ?> peer(String name) {
        return switch (name) {
            case "range" -> new ClientPeer(RangeAssignor::new);
            case "round-robin" -> new ClientPeer(RoundRobinAssignor::new);
            case "sticky" -> new ClientPeer(StickyAssignor::new);
            case "cooperative-sticky" -> new ClientPeer(CooperativeStickyAssignor::new);
            case "uniform" -> new CoordinatorPeer(UniformAssignor::new);
            default -> throw new IllegalArgumentException("unknown assignor " + name);
        };
    }

    private <I, O> Map<String, Object> measured(Peer<I, O> peer, double warm, double measure)
            throws IOException {
        int warmUp = warmUp(peer, warm);
        long start = System.nanoTime();
        while (more(since(start) < measure)) {
            call(peer, group);
        }
        List<Double> roundMs = new ArrayList<>(List.of(assignMs.get(assignMs.size() - 1)));
        CaseFile now = group;
        while (peer.inRounds() && roundMs.size() < MOST_ROUNDS && missing()) {
            now = now.owning(assignment);
            call(peer, now);
            roundMs.add(assignMs.remove(assignMs.size() - 1));
            namesMs.remove(namesMs.size() - 1);
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("assign_ms", assignMs);
        answer.put("names_ms", namesMs);
        answer.put("warm_up", warmUp);
        answer.put("peak_mib", peakMib());
        answer.put("extra", Map.of("rounds", roundMs.size(), "round_ms", roundMs));
        answer.put("assignment", assignment);
        return answer;
    }

    /** Calls that do not count; one that is slow does count, and is the only one. */
    private <I, O> int warmUp(Peer<I, O> peer, double seconds) {
        long start = System.nanoTime();
        int calls = 0;
        do {
            assignMs.clear();
            namesMs.clear();
            call(peer, group);
            if (slow()) {
                return calls;
            }
            calls++;
        } while (since(start) < seconds && calls < MOST_CALLS);
        assignMs.clear();
        namesMs.clear();
        return calls;
    }

    private boolean more(boolean inTime) {
        int calls = assignMs.size();
        return calls == 0 || calls < MOST_CALLS && !slow() && (inTime || calls < FEWEST_CALLS);
    }

    private <I, O> void call(Peer<I, O> peer, CaseFile group) {
        long start = System.nanoTime();
        I input = peer.input(group);
        double before = since(start);
        System.out.println("call");
        start = System.nanoTime();
        O output = peer.assign(input);
        double took = since(start);
        System.out.println("end");
        start = System.nanoTime();
        assignment = peer.names(output, group);
        namesMs.add(1e3 * (before + since(start)));
        assignMs.add(1e3 * took);
    }

    private boolean slow() {
        return !assignMs.isEmpty() && assignMs.get(assignMs.size() - 1) > 1e3 * SLOW_S;
    }

    /** Does nobody hold a partition that somebody reads. */
    private boolean missing() {
        long given = assignment.values().stream()
                .flatMap(topics -> topics.values().stream()).mapToLong(List::size).sum();
        long wanted = group.members().stream().map(CaseFile.Member::subscription).distinct()
                .flatMap(number -> group.subscriptions().get(number).stream()).distinct()
                .mapToLong(topic -> group.topics().get(topic)).sum();
        return given < wanted;
    }

    private static double since(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    /** Most resident memory of this process so far, or null where the system does not say. */
    private static Double peakMib() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.isReadable(status)) {
            return null;
        }
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith("VmHWM:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
            }
        }
        return null;
    }
}
