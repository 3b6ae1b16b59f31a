import { judge } from "../compare.ts";
import {
  append,
  type Endpoint,
  type Product,
  SECRET,
  settled,
  startEndpoint,
  tell,
} from "../endpoint.ts";
import type { Figure } from "../figure.ts";
import type { Rig } from "../rig.ts";

const WEBHOOKS = 1_000;
const BAD = 100;
const EVENTS_EACH = 8;
const RATIO = 0.8;
const TIMEOUT_MS = 10_000;
/** The path of the endpoints that hang on request. */
const BAD_PATH = "/bad";

/** The delivery rate of most endpoints while some accept every request and never respond. */
export const hanging: Figure = {
  name: "hanging",
  async measure(rig, { rounds, profileFolder }) {
    const endpoint = await startEndpoint(rig);
    const product = await rig.startProduct({ profileFolder, env: endpoint.env });
    for (let n = 0; n < WEBHOOKS; n += 1) await subscribe(product, endpoint, n);
    await serve(rig, product, endpoint);
    const ours = [];
    const reference = [];
    for (let round = 0; round < rounds; round += 1) {
      reference.push(await serve(rig, product, endpoint));
      ours.push(await serve(rig, product, endpoint, BAD_PATH));
    }
    const { values, ...judged } = judge(ours, reference, RATIO);
    return {
      ...judged,
      notes: [
        `${WEBHOOKS} webhooks, ${EVENTS_EACH} events each; the ${WEBHOOKS - BAD} good ones count`,
        `ours: while ${BAD} hang for ${TIMEOUT_MS / 1000} s; reference: while none does`,
      ],
      values: { ...values, ours, reference },
    };
  },
};

async function subscribe(product: Product, endpoint: Endpoint, n: number): Promise<void> {
  const number = String(n).padStart(4, "0");
  await tell(product, "/api/v1/webhooks", {
    name: `Bench ${number}`,
    url: `${endpoint.url}${n < BAD ? BAD_PATH : "/good"}/${number}`,
    events: [`bench.${number}`],
    secret: SECRET,
    timeout_ms: TIMEOUT_MS,
    retry_max_delay_ms: 1_000,
  });
}

/** The rate of the working endpoints. Hanging requests are answered afterwards, so that the next round starts clean. */
async function serve(rig: Rig, product: Product, endpoint: Endpoint, hangingPath?: string) {
  await endpoint.reset(hangingPath);
  const count = WEBHOOKS * EVENTS_EACH;
  const fromMs = await append(rig, product, { count, type: "bench.", types: WEBHOOKS });
  const good = (WEBHOOKS - BAD) * EVENTS_EACH;
  const { lastAtMs } = await endpoint.arrived(good);
  await endpoint.reset();
  await settled(rig, fromMs);
  return { perSecond: good / ((lastAtMs - fromMs) / 1000) };
}
