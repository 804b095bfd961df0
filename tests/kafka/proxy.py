"""A proxy in front of one broker that can hold back an EndTxn request: what a slow network does to a retried commit."""
import asyncio
import struct
import threading

END_TXN = 26


async def read_frame(reader):
    head = await reader.readexactly(4)
    return head + await reader.readexactly(struct.unpack(">i", head)[0])


class Proxy:
    """`hold` = number of the EndTxn request (from 1) that is kept while its connection is cut. The next but `after` EndTxn requests
    pass; the one then is never sent on: the held one goes instead, and its error code becomes `late_code`."""

    def __init__(self, hold=0, after=0):
        self.broker_port, self.hold, self.after = None, hold, after  # the port: set before the first connection
        self.count = 0
        self.held = None
        self.late_code = None
        self.is_late = threading.Event()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self.connection, "127.0.0.1", 0), self.loop).result(60)
        self.port = self.server.sockets[0].getsockname()[1]

    def close(self):
        self.loop.call_soon_threadsafe(self.server.close)
        self.loop.call_soon_threadsafe(self.loop.stop)

    async def send_late(self):
        reader, writer = self.held[0]
        writer.write(self.held[1])
        await writer.drain()
        reply = await read_frame(reader)
        self.late_code = struct.unpack(">h", reply[12:14])[0]
        writer.close()
        self.is_late.set()

    async def back(self, reader, writer):
        try:
            while True:
                writer.write(await read_frame(reader))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def connection(self, client, to_client):
        try:
            broker, to_broker = await asyncio.open_connection("127.0.0.1", self.broker_port)
        except OSError:
            to_client.close()
            return
        answers = asyncio.create_task(self.back(broker, to_client))
        try:
            while True:
                frame = await read_frame(client)
                if struct.unpack(">h", frame[4:6])[0] == END_TXN:
                    self.count += 1
                    if self.count == self.hold:
                        answers.cancel()
                        self.held = ((broker, to_broker), frame)
                        to_client.close()
                        return
                    if self.held and self.count == self.hold + self.after and self.late_code is None:
                        await self.send_late()
                        continue
                to_broker.write(frame)
                await to_broker.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        to_client.close()
        to_broker.close()
