import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

const USER_PRESENT = 0x01;
const HAS_KEY = 0x40;

/** Modifications that make a response invalid. */
export interface Tampering {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly flags?: number;
}

/**
 * A software WebAuthn authenticator, written from the standard independently of the tested library: ES256, no
 * attestation, an increasing counter, and no user verification.
 */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(32);
  counter = 0;
  readonly #origin: string;
  readonly #privateKey: KeyObject;
  readonly #x: Buffer;
  readonly #y: Buffer;

  constructor(origin = "http://localhost:8080") {
    this.#origin = origin;
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    this.#privateKey = privateKey;
    this.#x = Buffer.from(x, "base64url");
    this.#y = Buffer.from(y, "base64url");
  }

  /** Responds to creation options, like `navigator.credentials.create`. */
  create(options: { challenge: string; rp: { id?: string } }, wrong: Tampering = {}) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credentialId.length);
    const key = cborMap([
      [cborInteger(1), cborInteger(2)],
      [cborInteger(3), cborInteger(-7)],
      [cborInteger(-1), cborInteger(1)],
      [cborInteger(-2), cborBytes(this.#x)],
      [cborInteger(-3), cborBytes(this.#y)],
    ]);
    const authData = Buffer.concat([
      this.#header(wrong.rpId ?? options.rp.id ?? "", (wrong.flags ?? USER_PRESENT) | HAS_KEY),
      Buffer.alloc(16),
      length,
      this.credentialId,
      key,
    ]);
    const attestationObject = cborMap([
      [cborText("fmt"), cborText("none")],
      [cborText("attStmt"), cborMap([])],
      [cborText("authData"), cborBytes(authData)],
    ]);
    const client = this.#clientData("webauthn.create", options.challenge, wrong);
    return {
      ...this.#envelope(),
      response: {
        clientDataJSON: client.toString("base64url"),
        attestationObject: attestationObject.toString("base64url"),
        transports: ["usb"],
      },
    };
  }

  /** Responds to request options, like `navigator.credentials.get`. */
  get(options: { challenge: string; rpId: string }, wrong: Tampering = {}) {
    this.counter += 1;
    const authenticatorData = this.#header(wrong.rpId ?? options.rpId, wrong.flags ?? USER_PRESENT);
    const client = this.#clientData("webauthn.get", options.challenge, wrong);
    const signed = Buffer.concat([authenticatorData, sha256(client)]);
    return {
      ...this.#envelope(),
      response: {
        clientDataJSON: client.toString("base64url"),
        authenticatorData: authenticatorData.toString("base64url"),
        signature: sign("sha256", signed, this.#privateKey).toString("base64url"),
      },
    };
  }

  #envelope() {
    const id = this.credentialId.toString("base64url");
    return { id, rawId: id, type: "public-key", clientExtensionResults: {} };
  }

  #clientData(type: string, challenge: string, wrong: Tampering): Buffer {
    const data = { type, challenge, origin: this.#origin, crossOrigin: false };
    const { rpId: _, flags: __, ...instead } = wrong;
    return Buffer.from(JSON.stringify({ ...data, ...instead }));
  }

  #header(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(rpId), Buffer.of(flags), counter]);
  }
}

function sha256(data: string | Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}

/** The subset of CBOR (RFC 8949) for keys and attestations. */
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.of((major << 5) | value);
  if (value < 256) return Buffer.of((major << 5) | 24, value);
  return Buffer.of((major << 5) | 25, value >> 8, value & 255);
}

function cborInteger(value: number): Buffer {
  return value >= 0 ? cborHead(0, value) : cborHead(1, -1 - value);
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)]);
}

function cborMap(entries: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);
}
