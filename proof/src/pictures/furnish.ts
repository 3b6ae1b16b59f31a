/** Furnishes the workspace of a shop and its IT after some weeks of use, for screenshots. */
import type { House } from "./house.ts";
import { submitChanges } from "./furniture/changes.ts";
import {
  createFlows,
  type FlowPlaces,
  importPrices,
  runFlows,
  syncInVain,
} from "./furniture/flows.ts";
import { createItems } from "./furniture/items.ts";
import { gather, type People } from "./furniture/people.ts";
import { askForMore, askForThings, createCatalog, declareOutage } from "./furniture/portal.ts";
import { createRota } from "./furniture/rota.ts";
import { createShop, type ShopPlaces } from "./furniture/shop.ts";
import {
  beginConversation,
  createCallers,
  createPromises,
  raiseTickets,
} from "./furniture/tickets.ts";
import {
  askCrm,
  createCrm,
  createWebhooks,
  type TrafficPlaces,
  waitUntilSent,
} from "./furniture/traffic.ts";
import { openUpstream } from "./furniture/upstream.ts";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const WEEK_MINUTES = 7 * DAY_MINUTES;

/** The locations of the pictured resources. */
export interface Places extends ShopPlaces, TrafficPlaces, FlowPlaces {
  readonly people: People;
  readonly connectorId: string;
  readonly itemId: string;
  readonly ticketNumber: string;
}

export async function furnish(house: House, stack: AsyncDisposableStack): Promise<Places> {
  const { owner } = house;
  const goTo = (agoMinutes: number) => house.goTo(agoMinutes * MINUTE_MS);
  await goTo(WEEK_MINUTES);
  const people = await gather(house);
  const shop = await createShop(owner);
  const items = await createItems(owner);
  const catalog = await createCatalog(owner, people);
  const callers = await createCallers(owner, people);
  await createPromises(owner);
  await createRota(owner, people);
  const upstream = await openUpstream(stack);
  const flows = await createFlows(owner, people, upstream);

  const connectorId = await createCrm(owner, upstream);
  await goTo(5 * DAY_MINUTES);
  await askCrm(owner, connectorId, [1, 14]);
  await goTo(3 * DAY_MINUTES);
  await askCrm(owner, connectorId, [1, 11]);
  await goTo(1620);
  await askCrm(owner, connectorId, [1, 18]);
  await raiseTickets(people, callers, 1620);
  await goTo(1320);
  await raiseTickets(people, callers, 1320);
  await askForThings(people, catalog);
  await syncInVain(owner, flows);
  await goTo(420);
  // Less than a day ago, because test endpoints expire after a day.
  const traffic = await createWebhooks(owner);
  const goOnTo = async (agoMinutes: number) => {
    await waitUntilSent(owner, traffic);
    await goTo(agoMinutes);
  };
  await raiseTickets(people, callers, 420);
  await goOnTo(300);
  await raiseTickets(people, callers, 300);
  await goOnTo(180);
  await raiseTickets(people, callers, 180);
  await submitChanges(owner, people);
  await goOnTo(95);
  const conversation = await beginConversation(people, items.get("vpn-gateway") ?? "");
  await askForMore(people, catalog);
  await goOnTo(40);
  await raiseTickets(people, callers, 40);
  await conversation.goOn();
  await declareOutage(owner, people, items.get("Shop") ?? "");
  const flowPlaces = await runFlows(owner, people, flows);
  await goOnTo(12);
  await raiseTickets(people, callers, 12);
  await conversation.end();
  await goOnTo(0);
  await importPrices(owner, flows);
  await askCrm(owner, connectorId, [1, 8]);
  return {
    ...shop,
    ...traffic,
    ...flowPlaces,
    people,
    connectorId,
    itemId: items.get("storage-14") ?? "",
    ticketNumber: conversation.number,
  };
}
