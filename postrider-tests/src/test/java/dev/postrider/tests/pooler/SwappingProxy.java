package dev.postrider.tests.pooler;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * A pooler of PostgreSQL's sessions, as small as can be. Each client logs in through a session of its own; from then on, if
 * transactions are pooled, every transaction gets whichever session has been free for longest. As other poolers do it tells its
 * clients a process number of its own.
 */
final class SwappingProxy implements AutoCloseable {
    private static final int SSL_REQUEST = 80877103;
    private static final int GSS_REQUEST = 80877104;

    private final ServerSocket listener;
    private final int serverPort;
    private final boolean ofTransactions;
    private final BlockingQueue<Wire> free = new LinkedBlockingQueue<>();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private SwappingProxy(int serverPort, boolean ofTransactions) throws IOException {
        this.serverPort = serverPort;
        this.ofTransactions = ofTransactions;
        this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    static SwappingProxy ofTransactions(int serverPort) throws IOException {
        return new SwappingProxy(serverPort, true);
    }

    static SwappingProxy ofSessions(int serverPort) throws IOException {
        return new SwappingProxy(serverPort, false);
    }

    int port() {
        return listener.getLocalPort();
    }

    private record Message(int type, byte[] body) {}

    private static final class Wire {
        final Socket socket;
        final DataInputStream in;
        final DataOutputStream out;

        Wire(Socket socket) throws IOException {
            socket.setTcpNoDelay(true);
            this.socket = socket;
            this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        }

        Message read() throws IOException {
            int type = in.readUnsignedByte();
            byte[] body = new byte[in.readInt() - 4];
            in.readFully(body);
            return new Message(type, body);
        }

        void write(Message message) throws IOException {
            out.writeByte(message.type);
            out.writeInt(message.body.length + 4);
            out.write(message.body);
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                sockets.add(client);
                daemon(() -> serve(client));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            Wire client = new Wire(socket);
            Socket onward = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            sockets.add(onward);
            Wire server = new Wire(onward);
            logIn(client, server);
            converse(client, server);
        } catch (IOException | InterruptedException e) {
            // The client is gone, or the server.
        }
    }

    /** Passwords are the business of the other two. */
    private static void logIn(Wire client, Wire server) throws IOException {
        int length = client.in.readInt();
        int code = client.in.readInt();
        while (code == SSL_REQUEST || code == GSS_REQUEST) {
            client.out.writeByte('N');
            client.out.flush();
            length = client.in.readInt();
            code = client.in.readInt();
        }
        byte[] rest = new byte[length - 8];
        client.in.readFully(rest);
        server.out.writeInt(length);
        server.out.writeInt(code);
        server.out.write(rest);
        server.out.flush();
        while (true) {
            Message answer = server.read();
            if (answer.type == 'K') {
                // The number of the process, in the first four bytes.
                answer.body[0] ^= 0x20;
            }
            client.write(answer);
            client.out.flush();
            boolean asks = answer.type == 'R' && answer.body[3] != 0 && answer.body[3] != 12;
            if (asks) {
                server.write(client.read());
                server.out.flush();
            } else if (answer.type == 'Z' || answer.type == 'E') {
                return;
            }
        }
    }

    private void converse(Wire client, Wire first) throws IOException, InterruptedException {
        Wire server = release(first);
        while (true) {
            Message message = client.read();
            if (message.type == 'X') {
                return;
            }
            server = server == null ? free.take() : server;
            server.write(message);
            if (message.type == 'Q' || message.type == 'S' || message.type == 'F') {
                server.out.flush();
                server = answer(client, server);
            } else if (message.type == 'H') {
                server.out.flush();
            }
        }
    }

    /**
     * @return null if the transaction has ended, and somebody else may have the session
     */
    private @Nullable Wire answer(Wire client, Wire server) throws IOException {
        while (true) {
            Message answer = server.read();
            client.write(answer);
            if (answer.type == 'Z') {
                Wire next = answer.body[0] == 'I' ? release(server) : server;
                client.out.flush();
                return next;
            }
        }
    }

    private @Nullable Wire release(Wire server) {
        if (!ofTransactions) {
            return server;
        }
        free.add(server);
        return null;
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "swapping-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
