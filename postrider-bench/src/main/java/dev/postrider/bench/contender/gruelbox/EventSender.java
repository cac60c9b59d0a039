package dev.postrider.bench.contender.gruelbox;

/** What is scheduled for each event. An interface, because those need no generated classes. */
public interface EventSender {

    /** Returns when the brokers have acknowledged the event: its row is deleted then. */
    void send(String key, String document) throws Exception;
}
