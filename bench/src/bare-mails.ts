/** A bare SMTP server in a thread that accepts every e-mail and stores none. */
import { parentPort } from "node:worker_threads";
import { SMTPServer } from "smtp-server";

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  disableReverseLookup: true,
  onData(stream, _session, done) {
    stream.resume();
    stream.once("end", () => done());
  },
});
const listening = server.listen(0, "127.0.0.1", () => {
  const address = listening.address();
  parentPort?.postMessage(typeof address === "object" ? address?.port : 0);
});
parentPort?.once("message", () => server.close(() => parentPort?.postMessage("ended")));
