import { resolveSrv } from "node:dns/promises";
import type { Document } from "bson";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import { closedAtDeadline, withDeadline } from "../../upstream/deadline.ts";
import { openStream, streamError } from "../../upstream/guarded-stream.ts";
import { type SessionKind, withSession } from "../../upstream/session-pool.ts";
import { UpstreamError } from "../../upstream/upstream-error.ts";
import type { MongoConfig } from "./config.ts";
import { isSameServer, type MongoServer, parseServer } from "./server-address.ts";
import { signIn } from "./sign-in.ts";
import { MongoSession } from "./wire.ts";

type MongoConnection = UpstreamConnection<MongoConfig>;

/** For a cluster: if a server is unreachable, the next one is tried. */
const SERVERS_TRIED_MAX = 3;
const NAME_CHARACTERS_MAX = 260;

const kind: SessionKind<MongoConfig, MongoSession> = { open: openSession };

/** Runs one command and returns the response; throws if the server reports an error. */
export function runCommand(connection: MongoConnection, command: Document): Promise<Document> {
  const { config } = connection;
  return withSession(connection, kind, async (session) =>
    checkAnswer(connection, await session.send(config.database, command)),
  );
}

/** The BSON library, loaded on first use: many installations do not use MongoDB. */
export function loadBson() {
  return import("bson");
}

/** Connects to the primary server, which another member of the replica set may name. */
async function openSession(connection: MongoConnection): Promise<MongoSession> {
  const { isCluster, members = [] } = connection.config;
  const places = isCluster ? await findServers(connection) : [connection.config];
  const known = [...places, ...members.flatMap((member) => parseServer(member) ?? [])];
  let failed: unknown;
  for (const place of places.slice(0, SERVERS_TRIED_MAX)) {
    try {
      return await openAt(connection, place, known);
    } catch (error) {
      failed = error;
      if (!(error instanceof UpstreamError) || error.particulars.unsent !== true) throw error;
    }
  }
  throw failed;
}

async function openAt(
  connection: MongoConnection,
  place: MongoServer,
  /** The servers that it may redirect to; none if it is itself the target of a redirect. */
  known: readonly MongoServer[],
): Promise<MongoSession> {
  const { config, auth, deadline } = connection;
  const bson = await loadBson();
  const stream = await openStream(connection, "mongodb", place);
  const session = new MongoSession(bson, stream, `mongodb ${place.host}`);
  return closedAtDeadline(deadline, session, async () => {
    const hello = await session.send("admin", { hello: 1, helloOk: true });
    const primary =
      typeof hello["primary"] === "string" ? parseServer(hello["primary"]) : undefined;
    if (hello["isWritablePrimary"] === false && primary && known.length > 0) {
      session.close();
      // The password is sent there, so one server alone must not choose the target.
      if (known.some((one) => isSameServer(one, primary))) {
        return await openAt(connection, primary, []);
      }
      const name = `${primary.host}:${primary.port}`.slice(0, NAME_CHARACTERS_MAX);
      throw new UpstreamError(
        `The server is read-only. Its primary ${name} is not a member in the configuration of the connector.`,
      );
    }
    if (auth.kind === "basic") {
      const { username, password } = auth;
      await signIn(bson, session, { database: config.authSource, username, password });
    }
    return session;
  });
}

/**
 * Looks up the servers of a cluster in DNS. Only servers of the same domain are allowed, as the specification
 * requires.
 */
async function findServers({ config, deadline }: MongoConnection): Promise<readonly MongoServer[]> {
  const { host } = config;
  const words = host.split(".");
  // For `example.com`, servers below it are allowed, not all of `.com`.
  const domain = `.${words.length < 3 ? host : words.slice(1).join(".")}`;
  try {
    const records = await withDeadline(deadline, resolveSrv(`_mongodb._tcp.${host}`));
    const own = records.filter(({ name }) => name.toLowerCase().endsWith(domain.toLowerCase()));
    if (own.length === 0) throw new UpstreamError(`The DNS has no servers for ${host}.`);
    return own.map(({ name, port }) => ({ host: name, port }));
  } catch (error) {
    deadline.signal.throwIfAborted();
    throw streamError(error, `mongodb ${host}`, { unsent: true });
  }
}

/** The server is temporarily unavailable: it starts, stops, or is no longer the primary. */
const DOWN = new Set([91, 189, 10_107, 11_600, 11_602, 13_435, 13_436]);
const OVERDUE = 50;

function checkAnswer({ scrubber }: MongoConnection, answer: Document): Document {
  const writeErrors = answer["writeErrors"];
  const [wrong] = Array.isArray(writeErrors) ? (writeErrors as Document[]) : [];
  const refusal = answer["ok"] === 1 ? wrong : answer;
  if (!refusal) return answer;
  const code = Number(refusal["code"]);
  const name: unknown = refusal["codeName"] ?? refusal["code"];
  const words = `The database answered: ${String(refusal["errmsg"]).slice(0, 500)}`;
  throw new UpstreamError(scrubber.scrub(words), {
    code: String(name),
    isDown: DOWN.has(code) || code === OVERDUE,
    isTimeout: code === OVERDUE,
  });
}
