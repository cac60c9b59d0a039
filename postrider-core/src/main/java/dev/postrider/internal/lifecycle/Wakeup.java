package dev.postrider.internal.lifecycle;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets a thread sleep until there is something to do. A signal that comes while nobody
 * sleeps is kept for the next sleep, so none can be lost between looking for work and going to sleep.
 */
public final class Wakeup {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition signalled = lock.newCondition();

    /** Read without the lock first: completions come by the thousand and need one signal between them. */
    private volatile boolean signal;

    public void signal() {
        if (signal) {
            return;
        }
        lock.lock();
        try {
            signal = true;
            signalled.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Returns at the first signal since the last return, or when the time is up. */
    public void await(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (!signal && left > 0) {
                left = signalled.awaitNanos(left);
            }
            signal = false;
        } finally {
            lock.unlock();
        }
    }
}
