/** Parsers of settings. Each returns undefined for an invalid text. */
import { readFileSync } from "node:fs";
import { parseCidr } from "./outbound/ssrf-guard.ts";

export type ProcessRole = "all" | "api" | "worker";

/** A listener for incoming e-mail. */
export interface MailListenerSettings {
  readonly protocol: "smtp" | "smtps" | "lmtp";
  readonly host: string;
  readonly port: number;
}

export function parseInteger(min: number, max: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
}

export function parseShare(text: string): number | undefined {
  const value = /^(?:\d{0,3}\.)?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value <= 1 ? value : undefined;
}

/** Percent-encoded pairs in OpenTelemetry's format. */
export function parseHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text.split(",").map((pair) => /^\s*([\w-]+)=([^\r\n]*)$/.exec(pair));
  if (!pairs.every((pair) => pair !== null)) return undefined;
  try {
    return Object.fromEntries(
      pairs.map(([, name, value]) => [name, decodeURIComponent((value ?? "").trim())]),
    );
  } catch {
    return undefined;
  }
}

export function parseDatabaseUrl(text: string): string | undefined {
  // `new URL` would reject an empty host, which is valid for a Unix socket.
  return /^postgres(ql)?:\/\/\S+$/.test(text) ? text : undefined;
}

export function parseEmail(text: string): string | undefined {
  return /^[^\s@]{1,64}@[^\s@]{1,190}$/.test(text) ? text.toLowerCase() : undefined;
}

export function parsePassword(text: string): string | undefined {
  return text.length >= 8 && text.length <= 200 ? text : undefined;
}

export function parseMasterKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, "base64");
  return key.length === 32 && /^[\w+/=-]+$/.test(text) ? key : undefined;
}

export function parseBaseUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.search === "" && url.hash === "" && url.username === "";
  return isPlain && /^https?:$/.test(url.protocol) ? text.replace(/\/+$/, "") : undefined;
}

export function parseSmtpUrl(text: string): string | undefined {
  return /^smtps?:\/\//.test(text) && URL.canParse(text) ? text : undefined;
}

export function parseStoreUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, password, pathname, hash } = new URL(text);
  const isKeyed = username !== "" && password !== "" && hash === "";
  return isKeyed && /^https?:$/.test(protocol) && /^\/[^/]+/.test(pathname) ? text : undefined;
}

export function parseMailFrom(text: string): string | undefined {
  return /^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/.test(text) && text.length <= 200 ? text : undefined;
}

const MAIL_LISTENER = /^(?:(smtps?|lmtp):\/\/)?(\[[0-9a-f:.]+\]|[\w.-]+):(\d{1,5})$/i;

export function parseMailListeners(text: string): readonly MailListenerSettings[] | undefined {
  const listeners = text.split(",").map((part) => {
    const [, protocol = "smtp", host = "", port = ""] = MAIL_LISTENER.exec(part.trim()) ?? [];
    const number = parseInteger(0, 65_535)(port);
    return host === "" || number === undefined
      ? undefined
      : {
          protocol: protocol.toLowerCase() as MailListenerSettings["protocol"],
          host: host.replaceAll(/[[\]]/g, ""),
          port: number,
        };
  });
  return listeners.every((one) => one !== undefined) ? listeners : undefined;
}

export function parseRole(text: string): ProcessRole | undefined {
  return text === "all" || text === "api" || text === "worker" ? text : undefined;
}

export function parseCidrs(text: string): readonly string[] | undefined {
  const parts = text.split(",").map((part) => part.trim());
  return parts.every((part) => parseCidr(part) !== undefined) ? parts : undefined;
}

/** Host names without a port, in browser format. */
export function parseHosts(text: string): readonly string[] | undefined {
  const names = text.split(",").map((part) => part.trim());
  const isHost = (name: string): boolean =>
    URL.canParse(`https://${name}`) && new URL(`https://${name}`).host === name;
  return names.every(isHost) ? names : undefined;
}

export function parseKeyFile(path: string): string | undefined {
  return readPem(path, "PRIVATE KEY-----");
}

export function parsePemFile(path: string): string | undefined {
  return readPem(path, "-----BEGIN CERTIFICATE-----");
}

function readPem(path: string, mark: string): string | undefined {
  try {
    const pem = readFileSync(path, "utf8");
    return pem.includes(mark) ? pem : undefined;
  } catch {
    return undefined;
  }
}

export function parseLogLevel(text: string): string | undefined {
  return ["trace", "debug", "info", "warn", "error", "silent"].includes(text) ? text : undefined;
}
