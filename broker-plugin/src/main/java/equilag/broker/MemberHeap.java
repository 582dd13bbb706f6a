package equilag.broker;

/** Workers with the emptiest one on top, or the fullest one; counts change by one at a time. */
final class MemberHeap {
    private final int[] heap;
    private final int[] counts;
    private final int[] places;
    private final int sign;
    private int size;

    /**
     * @param heap the workers; the heap's own from now on
     * @param counts of all workers
     * @param places worker to its place, for all workers of the heap; the heap writes it
     * @param sign 1: the emptiest on top, -1: the fullest
     */
    MemberHeap(int[] heap, int[] counts, int[] places, int sign) {
        this.heap = heap;
        this.counts = counts;
        this.places = places;
        this.sign = sign;
        size = heap.length;
        for (int at = 0; at < size; at++) {
            places[heap[at]] = at;
        }
        for (int at = size / 2 - 1; at >= 0; at--) {
            down(at);
        }
    }

    boolean isEmpty() {
        return size == 0;
    }

    int top() {
        return heap[0];
    }

    void pop() {
        size--;
        swap(0, size);
        down(0);
    }

    /** Call it after each change of the worker's count. */
    void changed(int worker) {
        int at = places[worker];
        if (at >= size) {
            return; // it was taken out
        }
        while (at > 0 && before(at, (at - 1) / 2)) {
            swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
        down(at);
    }

    private void down(int from) {
        int at = from;
        while (true) {
            int best = at;
            for (int child = 2 * at + 1; child <= 2 * at + 2 && child < size; child++) {
                best = before(child, best) ? child : best;
            }
            if (best == at) {
                return;
            }
            swap(at, best);
            at = best;
        }
    }

    private boolean before(int one, int other) {
        return sign * counts[heap[one]] < sign * counts[heap[other]];
    }

    private void swap(int one, int other) {
        int worker = heap[one];
        heap[one] = heap[other];
        heap[other] = worker;
        places[heap[one]] = one;
        places[heap[other]] = other;
    }
}
