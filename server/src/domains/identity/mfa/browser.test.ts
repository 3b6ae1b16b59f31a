import { type AddressInfo, connect, createServer, type Server } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser, sharedBrowser } from "#kernel/testing/browser.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { startWorld, type World } from "#kernel/testing/world.ts";
import { somebody } from "./testing/people.ts";

const REGISTER = "/api/v1/auth/mfa/webauthn/register";

/** Runs in the page: calls the API with the cookie, like any script of the page. */
const ASK = async ({ path, body }: { path: string; body: unknown }) => {
  const reply = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: JSON.parse((await reply.text()) || "null") };
};

/** Runs in the page: passes the options to the browser's WebAuthn. */
const CREATE = async (options: any) => {
  const { PublicKeyCredential, navigator } = globalThis as any;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return (await navigator.credentials.create({ publicKey })).toJSON();
};
const GET = async (options: any) => {
  const { PublicKeyCredential, navigator } = globalThis as any;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return (await navigator.credentials.get({ publicKey })).toJSON();
};

describeInBrowser("in Chromium, with its virtual authenticator", () => {
  let relay: Server;
  let origin: string;
  let world: World;
  let browser: Browser;

  beforeAll(async () => {
    // The origin must be known before the product starts, so a relay reserves its port from the start.
    let target = 0;
    relay = createServer((socket) => {
      const inner = connect(target, "127.0.0.1");
      for (const side of [socket, inner]) side.on("error", () => socket.destroy());
      socket.on("close", () => inner.destroy());
      socket.pipe(inner).pipe(socket);
    });
    await new Promise<void>((done) => relay.listen(0, "127.0.0.1", done));
    origin = `http://localhost:${(relay.address() as AddressInfo).port}`;
    world = await startWorld({
      env: { MILLRACE_LOGIN_RATE_LIMIT: "0", MILLRACE_BASE_URL: origin },
    });
    await world.app.listen({ port: 0, host: "127.0.0.1" });
    target = (world.app.server.address() as AddressInfo).port;
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    relay?.close();
  });

  async function ourPage(): Promise<Page> {
    const page = await browser.newPage();
    // The API reference is not needed here, so its script is not loaded.
    await page.route("**/docs/reference.js", (route) => route.abort());
    await page.goto(`${origin}/docs/try/mfa`);
    const session = await page.context().newCDPSession(page);
    await session.send("WebAuthn.enable");
    await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "usb",
        hasResidentKey: false,
        hasUserVerification: false,
        automaticPresenceSimulation: true,
      },
    });
    return page;
  }

  test("registers an authenticator and then uses it to log in", async () => {
    const person = await somebody(world);
    const page = await ourPage();
    const ask = (path: string, body: unknown = {}) => page.evaluate(ASK, { path, body });
    const login = (proof: object = {}) =>
      ask("/api/v1/auth/token", { email: person.email, password: TEST_PASSWORD, ...proof });

    expect(await login()).toMatchObject({ status: 200 });
    const begun = await ask(REGISTER);
    expect(begun).toMatchObject({ status: 200, body: { data: { rp: { id: "localhost" } } } });
    const credential = await page.evaluate(CREATE, begun.body.data);
    const stored = await ask(REGISTER, { credential, name: "Virtual key" });
    expect(stored).toMatchObject({ status: 200, body: { data: { name: "Virtual key" } } });

    for (let time = 1; time <= 2; time += 1) {
      const asked = await login();
      expect(asked).toMatchObject({ status: 401, body: { code: "mfa_required" } });
      const assertion = await page.evaluate(GET, asked.body.options);
      expect(await login({ assertion })).toMatchObject({ status: 200 });
      expect(await login({ assertion })).toMatchObject({
        status: 401,
        body: { code: "bad_second_factor" },
      });
    }
    const { body } = await person.ask("GET /api/v1/auth/mfa/webauthn");
    expect(body.data).toMatchObject([{ name: "Virtual key", lastUsedAt: expect.any(String) }]);
    await page.close();
  });

  test("the browser does not register the same authenticator twice", async () => {
    const person = await somebody(world);
    const page = await ourPage();
    const ask = (path: string, body: unknown = {}) => page.evaluate(ASK, { path, body });
    await ask("/api/v1/auth/token", { email: person.email, password: TEST_PASSWORD });
    const first = await ask(REGISTER);
    const credential = await page.evaluate(CREATE, first.body.data);
    expect(await ask(REGISTER, { credential })).toMatchObject({ status: 200 });
    const second = await ask(REGISTER);
    await expect(page.evaluate(CREATE, second.body.data)).rejects.toThrow(/InvalidStateError/);
    await page.close();
  });
});
