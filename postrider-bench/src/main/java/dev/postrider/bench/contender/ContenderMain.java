package dev.postrider.bench.contender;

import com.sun.management.OperatingSystemMXBean;
import dev.postrider.bench.contender.BenchEvent.Shape;
import dev.postrider.bench.contender.Order.Answer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * The process of one contender: takes {@link Order}s, one JSON document a line, from standard input and answers each with
 * one line. Ends when its input ends. Whatever libraries print goes to standard error.
 */
public final class ContenderMain {
    /** Backlogs are made in pieces of this many events, so that they need not fit into memory. */
    private static final int PIECE = 5_000;

    private final Contender contender;
    private final Heap heap = new Heap();

    private ContenderMain(Contender contender) {
        this.contender = contender;
    }

    public static void main(String[] args) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err);
        ObjectMapper json = JsonMapper.shared();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Place place = json.readValue(orders.readLine(), Place.class);
        ContenderName name = ContenderName.find(args[0]).orElseThrow();
        try (Contender contender = name.at(place)) {
            ContenderMain main = new ContenderMain(contender);
            for (String line = orders.readLine(); line != null; line = orders.readLine()) {
                Answer answer;
                try {
                    answer = main.obey(json.readValue(line, Order.class));
                } catch (Exception | LinkageError e) {
                    e.printStackTrace();
                    answer = Answer.failed(e.toString());
                }
                answers.println(json.writeValueAsString(answer));
                answers.flush();
            }
        }
        System.exit(0);
    }

    private Answer obey(Order order) throws Exception {
        switch (order.what()) {
            case PREPARE -> contender.prepare();
            case BACKLOG -> backlog(order);
            case START -> contender.start();
            case STOP -> contender.stop();
            case SETTINGS -> {
                return Answer.settings(contender.settings());
            }
            case PACED -> {
                return Answer.commits(new PacedWriter(contender, order).run());
            }
            case FLAT_OUT -> {
                return Answer.count(FlatOut.run(contender, order));
            }
            case USAGE -> {
                long cpu = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                        .getProcessCpuTime();
                return Answer.usage(cpu, heap.allocatedBytes(), heap.peakLiveBytes());
            }
        }
        return Answer.done();
    }

    private void backlog(Order order) throws Exception {
        Shape shape = order.shape();
        for (long from = order.from(); from < order.from() + order.count(); from += PIECE) {
            int size = (int) Math.min(PIECE, order.from() + order.count() - from);
            List<BenchEvent> events = BenchEvent.range(from, size, shape);
            contender.backlog(events);
        }
    }
}
