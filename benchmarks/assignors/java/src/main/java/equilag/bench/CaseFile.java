package equilag.bench;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A group in plain names, as benchmarks/assignors/exchange.py writes it. */
@JsonIgnoreProperties(ignoreUnknown = true)
record CaseFile(
        Map<String, Integer> topics,
        List<List<String>> subscriptions,
        List<Member> members,
        int generation,
        Map<String, List<List<String>>> racks) {

    /**
     * `subscription` is an index into the case's subscriptions, `owned` has topics to numbers,
     * `rack` is empty where the member has none.
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Member(String id, int subscription, Map<String, List<Integer>> owned, String rack) {
    }

    static CaseFile read(File file, ObjectMapper mapper) throws IOException {
        return mapper.readValue(file, CaseFile.class);
    }

    /** The racks that hold a replica of the partition, the leader's first; none where unknown. */
    List<String> racksOf(String topic, int number) {
        return racks == null ? List.of() : racks.get(topic).get(number);
    }

    /** The same group after a rebalance: everybody owns what the assignment says. */
    CaseFile owning(Map<String, Map<String, List<Integer>>> assignment) {
        List<Member> owners = new ArrayList<>(members.size());
        for (Member member : members) {
            owners.add(new Member(
                    member.id, member.subscription, assignment.get(member.id), member.rack));
        }
        return new CaseFile(topics, subscriptions, owners, generation + 1, racks);
    }
}
