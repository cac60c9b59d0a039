package dev.postrider.bench.lab;

import dev.postrider.bench.contender.ContenderName;
import dev.postrider.bench.contender.Place;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** The place of one run: a database, a topic, and the processes that work there. */
public final class Site implements AutoCloseable {
    private final Laboratory laboratory;
    private final ContenderName contender;
    private final Place place;
    private final Deque<Runnable> ends = new ArrayDeque<>();

    Site(Laboratory laboratory, ContenderName contender, Place place) {
        this.laboratory = laboratory;
        this.contender = contender;
        this.place = place;
    }

    /** A process of the contender, prepared. */
    public ContenderProcess process() {
        return process(Map.of());
    }

    /**
     * @param more options for this process only
     */
    public ContenderProcess process(Map<String, String> more) {
        Map<String, String> options = new HashMap<>(place.options());
        options.putAll(more);
        ContenderProcess process = ContenderProcess.start(
                contender,
                new Place(
                        place.jdbcUrl(),
                        place.user(),
                        place.password(),
                        place.bootstrapServers(),
                        place.topic(),
                        options),
                laboratory.recordings());
        ends.push(process::close);
        process.prepare();
        return process;
    }

    public Arrivals arrivals() {
        return new Arrivals(laboratory.bootstrapServers(), place.topic());
    }

    /** A consumer that notes when each event arrives. */
    public LiveConsumer consume(int events) {
        LiveConsumer consumer = new LiveConsumer(laboratory.bootstrapServers(), place.topic(), events);
        ends.push(consumer::close);
        return consumer;
    }

    public Place place() {
        return place;
    }

    public Laboratory laboratory() {
        return laboratory;
    }

    @Override
    public void close() {
        while (!ends.isEmpty()) {
            ends.pop().run();
        }
        laboratory.clear(place);
    }
}
