package dev.postrider.tests.webhook;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A wire to a server on this machine that now and then tears, with a reset, or goes dead without a word; on the way there
 * or on the way back, so that an answer may be lost whose request arrived.
 */
final class FaultyWire implements AutoCloseable {
    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final Random random;
    private final double faults;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger resets = new AtomicInteger();
    private final AtomicInteger hangs = new AtomicInteger();

    /**
     * @param faults how likely one of each kind is for each piece that passes
     */
    FaultyWire(InetSocketAddress server, Random random, double faults) throws IOException {
        this.server = server;
        this.random = random;
        this.faults = faults;
        this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        daemon("wire", this::accept);
    }

    String url() {
        return "http://" + listener.getInetAddress().getHostAddress() + ":" + listener.getLocalPort();
    }

    int resets() {
        return resets.get();
    }

    int hangs() {
        return hangs.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                sockets.add(client);
                Socket onward = new Socket();
                sockets.add(onward);
                onward.connect(server);
                client.setTcpNoDelay(true);
                onward.setTcpNoDelay(true);
                daemon("wire-there", () -> carry(client, onward));
                daemon("wire-back", () -> carry(onward, client));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void carry(Socket from, Socket to) {
        byte[] piece = new byte[64 * 1024];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                double fate = random.nextDouble();
                if (fate < faults) {
                    resets.incrementAndGet();
                    reset(from, to);
                    return;
                }
                if (fate < 2 * faults) {
                    hangs.incrementAndGet();
                    // What comes is swallowed until somebody loses patience.
                    in.transferTo(OutputStream.nullOutputStream());
                    break;
                }
                out.write(piece, 0, length);
            }
            close(from, to);
        } catch (IOException e) {
            close(from, to);
        }
    }

    private static void reset(Socket... both) throws IOException {
        for (Socket socket : both) {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }

    private void close(Socket... both) {
        for (Socket socket : both) {
            sockets.remove(socket);
            try {
                socket.close();
            } catch (IOException e) {
                // As good as closed.
            }
        }
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        close(sockets.toArray(Socket[]::new));
    }
}
