package dev.postrider.examples.commerce.statistics;

import java.util.Map;
import java.util.TreeMap;

/** What a batch adds to the numbers of products, in the order of their ids: who locks in one order never waits in a circle. */
final class Tally {
    private final Map<Long, Integer> byProduct = new TreeMap<>();

    void add(long product, int count) {
        byProduct.merge(product, count, Integer::sum);
    }

    Map<Long, Integer> byProduct() {
        return byProduct;
    }
}
