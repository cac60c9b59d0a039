package dev.postrider.tests.support;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.ApiKeys;

/** A wire to a broker on this machine that loses one answer: the broker does what it is asked, and nobody hears of it. */
public final class LossyKafkaWire implements AutoCloseable {
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger untilLost = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private volatile InetSocketAddress broker = new InetSocketAddress(0);
    private volatile ApiKeys request = ApiKeys.API_VERSIONS;
    private volatile boolean cut;

    public LossyKafkaWire() throws IOException {
        this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    public void to(int brokerPort) {
        broker = new InetSocketAddress(InetAddress.getLoopbackAddress(), brokerPort);
    }

    /**
     * Loses the answer to one request.
     *
     * @param nth of its kind, from 1
     * @param cut whether the connection is lost with it; otherwise it stays, and the client waits
     */
    public void loseAnswer(ApiKeys kind, int nth, boolean cut) {
        this.request = kind;
        this.cut = cut;
        lost.set(0);
        untilLost.set(nth);
    }

    /** How many answers were lost since the last {@link #loseAnswer}. */
    public int lost() {
        return lost.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket onward = new Socket();
                sockets.add(client);
                sockets.add(onward);
                onward.connect(broker);
                Set<Integer> doomed = ConcurrentHashMap.newKeySet();
                daemon(() -> carryRequests(client, onward, doomed));
                daemon(() -> carryAnswers(onward, client, doomed));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void carryRequests(Socket client, Socket onward, Set<Integer> doomed) {
        carry(client, onward, frame -> {
            ByteBuffer header = ByteBuffer.wrap(frame);
            if (header.getShort(0) == request.id && untilLost.getAndDecrement() == 1) {
                doomed.add(header.getInt(4));
            }
            return true;
        });
    }

    private void carryAnswers(Socket onward, Socket client, Set<Integer> doomed) {
        carry(onward, client, frame -> {
            if (!doomed.remove(ByteBuffer.wrap(frame).getInt(0))) {
                return true;
            }
            lost.incrementAndGet();
            if (cut) {
                close(client);
            }
            return false;
        });
    }

    private interface Passage {
        boolean passes(byte[] frame);
    }

    private static void carry(Socket from, Socket to, Passage passage) {
        try {
            DataInputStream in = new DataInputStream(from.getInputStream());
            DataOutputStream out = new DataOutputStream(to.getOutputStream());
            while (true) {
                byte[] frame = new byte[in.readInt()];
                in.readFully(frame);
                if (passage.passes(frame)) {
                    out.write(ByteBuffer.allocate(4 + frame.length)
                            .putInt(frame.length)
                            .put(frame)
                            .array());
                }
            }
        } catch (IOException e) {
            close(from);
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // As good as closed.
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "lossy-kafka-wire");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        sockets.forEach(LossyKafkaWire::close);
    }
}
