package equilag.bench;

import java.util.List;
import java.util.Map;

/** One assignor, with the way from plain names to its own objects and back. */
interface Peer<I, O> {

    /** Inputs for one call. Assignors may change them, so each call gets new ones. */
    I input(CaseFile group);

    O assign(I input);

    /** Member to topic to partition numbers; members that got nothing are there too. */
    Map<String, Map<String, List<Integer>>> names(O output, CaseFile group);

    /** Does a first answer leave out what is still to be revoked, so that rounds must follow. */
    boolean inRounds();
}
