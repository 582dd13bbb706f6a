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
        int generation) {

    /** `subscription` is an index into the case's subscriptions, `owned` has topics to numbers. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Member(String id, int subscription, Map<String, List<Integer>> owned) {
    }

    static CaseFile read(File file, ObjectMapper mapper) throws IOException {
        return mapper.readValue(file, CaseFile.class);
    }

    /** The same group after a rebalance: everybody owns what the assignment says. */
    CaseFile owning(Map<String, Map<String, List<Integer>>> assignment) {
        List<Member> owners = new ArrayList<>(members.size());
        for (Member member : members) {
            owners.add(new Member(member.id, member.subscription, assignment.get(member.id)));
        }
        return new CaseFile(topics, subscriptions, owners, generation + 1);
    }
}
