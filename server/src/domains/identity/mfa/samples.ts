import type { Arranged, Sample } from "#kernel/testing/samples.ts";
import type { World } from "#kernel/testing/world.ts";
import { SoftwareAuthenticator } from "./testing/authenticator.ts";
import { App, somebody, withApp, withKey } from "./testing/people.ts";

let count = 0;

/** The operations that require a second factor, with a valid one, an invalid one, and a recovery code. */
function proving(
  operation: string,
  arrange: (
    world: World,
    by: Awaited<ReturnType<typeof somebody>>,
  ) => Promise<Arranged> = async () => ({}),
): Sample[] {
  const sample = (
    name: string,
    codeOf: (has: Awaited<ReturnType<typeof withApp>>) => string | undefined,
    status: Pick<Arranged, "status"> = {},
  ): Sample => ({
    operation,
    name,
    async arrange(_owner, world) {
      const by = await somebody(world);
      const has = await withApp(world, by);
      const more = await arrange(world, by);
      return { ...more, by: by.ask, body: { code: codeOf(has) }, ...status };
    },
  });
  return [
    sample("with a code", ({ app }) => app.next()),
    sample("with a wrong code", () => "wrong-code", { status: 422 }),
    sample("with a recovery code", ({ recoveryCodes }) => recoveryCodes[0]),
  ];
}

export const samples: readonly Sample[] = [
  { operation: "mfa.status", arrange: async () => ({}) },
  {
    operation: "mfa.enroll_totp",
    arrange: async (_owner, world) => ({ by: (await somebody(world)).ask }),
  },
  {
    operation: "mfa.verify_totp",
    async arrange(_owner, world) {
      const { ask: by } = await somebody(world);
      const { body } = await by("POST /api/v1/auth/mfa/totp/enroll");
      const app = new App(body.data.secret, () => world.clock.nowMs());
      return { by, body: { code: app.next() } };
    },
  },
  {
    operation: "mfa.verify_totp",
    name: "with a wrong code",
    async arrange(_owner, world) {
      const { ask: by } = await somebody(world);
      await by("POST /api/v1/auth/mfa/totp/enroll");
      return { by, body: { code: "not it" }, status: 422 };
    },
  },
  ...proving("mfa.disable_totp"),
  { operation: "mfa.list_webauthn", arrange: async () => ({ query: { limit: "2" } }) },
  {
    operation: "mfa.register_webauthn",
    arrange: async (_owner, world) => ({ by: (await somebody(world)).ask }),
  },
  {
    operation: "mfa.register_webauthn",
    name: "with a credential",
    async arrange(_owner, world) {
      const { ask: by } = await somebody(world);
      const { body } = await by("POST /api/v1/auth/mfa/webauthn/register");
      const credential = new SoftwareAuthenticator().create(body.data);
      return { by, body: { credential, name: "Blue key" } };
    },
  },
  {
    operation: "mfa.register_webauthn",
    name: "with a credential that nobody asked for",
    async arrange(_owner, world) {
      const { ask: by } = await somebody(world);
      const unasked = { challenge: "bm9ib2R5IGFza2Vk", rp: { id: "localhost" } };
      const credential = new SoftwareAuthenticator().create(unasked);
      return { by, body: { credential }, status: 422 };
    },
  },
  ...proving("mfa.remove_webauthn", async (_world, by) => ({
    params: { id: (await withKey(by)).id },
  })),
  ...proving("mfa.renew_recovery_codes"),
  ...[true, false].map((enforced) => ({
    operation: "mfa.enforce",
    name: String(enforced),
    // In a separate workspace; otherwise all other samples would have to enroll.
    async arrange(_owner: unknown, world: World) {
      count += 1;
      const by = await somebody(world, ["owner"], await world.workspace(`guarded-${count}`));
      await withApp(world, by);
      return { by: by.ask, body: { enforced } };
    },
  })),
];
