package dev.postrider.tests.support;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * Writes a record of a transaction that no coordinator has heard of, as a broker does that lost one. No client does so; the
 * request is sent by hand, in a version in which the broker adds no partition to the transaction by itself.
 */
final class RawProducer {
    private static final short VERSION = ProduceRequest.LAST_STABLE_VERSION_BEFORE_TRANSACTION_V2;

    private RawProducer() {}

    /**
     * @return the record's offset; -1 if the broker refuses it, because it asks the coordinator first
     */
    static long write(
            Node leader,
            TopicPartition partition,
            String transactionalId,
            long producerId,
            short epoch,
            SimpleRecord record)
            throws IOException {
        MemoryRecords records = MemoryRecords.withTransactionalRecords(Compression.NONE, producerId, epoch, 0, record);
        ProduceRequestData data = new ProduceRequestData()
                .setTransactionalId(transactionalId)
                .setAcks((short) -1)
                .setTimeoutMs(10_000)
                .setTopicData(new ProduceRequestData.TopicProduceDataCollection(List.of(
                                new ProduceRequestData.TopicProduceData()
                                        .setName(partition.topic())
                                        .setPartitionData(List.of(new ProduceRequestData.PartitionProduceData()
                                                .setIndex(partition.partition())
                                                .setRecords(records))))
                        .iterator()));
        ProduceResponse response =
                (ProduceResponse) send(leader, ProduceRequest.builder(data).build(VERSION));
        ProduceResponseData.PartitionProduceResponse answer = response.data()
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0);
        Errors error = Errors.forCode(answer.errorCode());
        if (error != Errors.NONE && error != Errors.TRANSACTION_ABORTABLE) {
            throw new IOException("refused: " + error);
        }
        return error == Errors.NONE ? answer.baseOffset() : -1;
    }

    private static AbstractResponse send(Node leader, ProduceRequest request) throws IOException {
        RequestHeader header = new RequestHeader(ApiKeys.PRODUCE, VERSION, "by-hand", 1);
        ByteBuffer bytes = request.serializeWithHeader(header);
        try (Socket socket = new Socket(leader.host(), leader.port())) {
            socket.setSoTimeout(20_000);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(bytes.remaining());
            out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            out.flush();
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] answer = new byte[in.readInt()];
            in.readFully(answer);
            return AbstractResponse.parseResponse(ByteBuffer.wrap(answer), header);
        }
    }
}
