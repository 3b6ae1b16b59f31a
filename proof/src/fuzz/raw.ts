import { connect } from "node:net";
import type { Dice } from "./dice.ts";
import type { Ledger } from "./ledger.ts";

const ANSWER_LIMIT_MS = 30_000;
const LONG = 40_000;
const HEADERS = 3_000;
const GET = "GET /healthz HTTP/1.1\r\nHost: x\r\n";
const POST = "POST /api/v1/auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

/** Messages that client libraries would not send. Each must get a quick response or be cut off. */
const MESSAGES: readonly string[] = [
  "hello\r\n\r\n",
  "GET\r\n\r\n",
  "GET /healthz\r\n\r\n",
  "GET /healthz HTTP/9.9\r\n\r\n",
  "GET /healthz HTTP/1.1\r\n\r\n",
  "get /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  "PROPFIND /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  "TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  "GET http://evil.example/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  "GET /%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  "GET /%ff%fe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  "GET /% HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  "GET /api/v1/../../healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  "GET /a\u00e9\u0001 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  `GET /${"a".repeat(LONG)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET /api/v1/runs/${"a".repeat(8_000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  `${GET}X-Long: ${"a".repeat(LONG)}\r\n\r\n`,
  `${GET}${Array.from({ length: HEADERS }, (_, n) => `h${n}: 1\r\n`).join("")}\r\n`,
  `${GET}X-Nul: a\u0000b\r\n\r\n`,
  `${GET}Bad Header: 1\r\n\r\n`,
  `${GET}: empty\r\n\r\n`,
  `${GET} folded: 1\r\n\r\n`,
  `${GET}Host: y\r\nConnection: close\r\n\r\n`,
  "GET /healthz HTTP/1.1\nHost: x\nConnection: close\n\n",
  `${GET}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n`,
  `${GET}Expect: 200-maybe\r\nConnection: close\r\n\r\n`,
  `${POST}Expect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
  `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${POST}Content-Length: -1\r\n\r\n`,
  `${POST}Content-Length: 99999999999999999999\r\n\r\n`,
  `${POST}Content-Length: 1x\r\n\r\n{}`,
  `${POST}Content-Length: 1\r\n\r\n{"email":"a"}\r\n\r\n`,
  `${POST}Content-Length: 2000000\r\nConnection: close\r\n\r\n{}`,
  `${POST}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`,
  `${POST}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\nTrailer: x\r\n\r\n`,
  `${POST}Transfer-Encoding: gzip\r\n\r\n{}`,
  `${POST}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
];

/** Bodies that stop before their end: no response is needed, but no resources may be held. */
const TRUNCATED: readonly string[] = [
  `${POST}Content-Length: 100\r\n\r\n{"email":"a`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"e`,
  POST,
  "GET /healthz HTT",
];

/** Sends invalid HTTP on a new connection. */
export async function sendRaw(origin: string, dice: Dice, ledger: Ledger): Promise<void> {
  const isTruncated = dice.chance(0.1);
  const message = dice.pick(isTruncated ? TRUNCATED : MESSAGES);
  const { answer, timedOut } = await speak(new URL(origin), message, isTruncated);
  ledger.requests += 1;
  const name = JSON.stringify(message.slice(0, 100));
  if (timedOut) ledger.blame("raw", "no answer and no end", name);
  if (isTruncated || answer === "") return;
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
  const isShed = status === 503 && /\r\nretry-after:/i.test(answer);
  if (!(status < 500) && !isShed) ledger.blame("raw", `answered ${status}`, `${name} -> ${answer}`);
}

function speak(
  { hostname, port }: URL,
  message: string,
  leaves: boolean,
): Promise<{ answer: string; timedOut: boolean }> {
  return new Promise((resolve) => {
    let answer = "";
    let timedOut = false;
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(message, "latin1");
      if (leaves) socket.destroy();
    });
    socket.setTimeout(ANSWER_LIMIT_MS, () => {
      timedOut = true;
      socket.destroy();
    });
    socket.on("data", (piece) => {
      answer += piece.toString("latin1");
      // The first response is enough; the connection may stay open.
      if (answer.includes("\r\n\r\n")) socket.destroy();
    });
    // A reset connection counts as cut off.
    socket.on("error", () => undefined);
    socket.on("close", () => resolve({ answer, timedOut }));
  });
}
