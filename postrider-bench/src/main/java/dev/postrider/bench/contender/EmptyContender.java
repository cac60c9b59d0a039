package dev.postrider.bench.contender;

import java.util.List;

/** Does nothing: what is measured of it is the benchmark itself. */
final class EmptyContender implements Contender {
    @Override
    public void prepare() {}

    @Override
    public void write(List<BenchEvent> events) {}

    @Override
    public void start() {}

    @Override
    public void stop() {}

    @Override
    public List<String> settings() {
        return List.of();
    }

    @Override
    public void close() {}
}
