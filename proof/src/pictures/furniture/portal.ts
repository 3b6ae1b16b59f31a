/** The portal for requesters: a catalog, their requests, and current outages. */
import type { Ask } from "../../faults/asker.ts";
import { change, make } from "./made.ts";
import type { People } from "./people.ts";

const text = (title: string, more: object = {}) => ({ type: "string", title, ...more });

const formOf = (properties: Readonly<Record<string, object>>) => ({
  type: "object",
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
});

const CATALOG = [
  {
    name: "Laptop",
    description: "New, set up and brought to your desk",
    category: "Hardware",
    icon: "laptop",
    estimate: "two days",
    form: formOf({ model: text("Model", { enum: ["Light, 13 inch", "Strong, 16 inch"] }) }),
  },
  {
    name: "Access to a folder",
    description: "Read or change what is on the file store",
    category: "Access",
    icon: "folder",
    estimate: "the same day",
    form: formOf({
      folder: text("Folder"),
      level: text("Level", { enum: ["Read", "Change"] }),
    }),
  },
  {
    name: "New colleague",
    description: "Everything somebody needs on the first day",
    category: "People",
    icon: "people",
    estimate: "five days",
    form: formOf({ who: text("Who"), firstDay: text("First day", { format: "date" }) }),
  },
  {
    name: "Phone number",
    description: "Desk, mobile or softphone",
    category: "Hardware",
    icon: "phone",
    estimate: "one day",
    form: formOf({ kind: text("Kind", { enum: ["Desk", "Mobile", "Softphone"] }) }),
  },
  {
    name: "Software licence",
    description: "A program that is not on your machine yet",
    category: "Software",
    icon: "box",
    estimate: "one day",
    form: formOf({ program: text("Program") }),
  },
  {
    name: "Work from abroad",
    description: "VPN and phone outside of the EU",
    category: "Access",
    icon: "plane",
    estimate: "two days",
    form: formOf({ country: text("Country") }),
  },
] as const;

type Items = ReadonlyMap<string, string>;

export async function createCatalog(ask: Ask, { noah, mara }: People): Promise<Items> {
  const ids = new Map<string, string>();
  for (const [order, item] of CATALOG.entries()) {
    const approval = {
      required: item.category === "Access" || item.name === "Laptop",
      approverIds: item.category === "Access" ? [noah.id] : [mara.id],
      rule: "any",
    };
    const body = { ...item, approval, order, featured: true, status: "active" };
    ids.set(item.name, (await make(ask, "catalog/items", body)).id);
  }
  await change(ask, "PATCH portal/settings", { title: "Nordwind IT" });
  return ids;
}

const request = (ask: Ask, items: Items, name: string, values: object) =>
  make(ask, "catalog/requests", { itemId: items.get(name), values });

/** Requests a licence, and reports a flickering screen. */
export async function askForThings(people: People, items: Items): Promise<void> {
  const { noah, mara, aiko, priya } = people;
  const licence = await request(noah.ask, items, "Software licence", { program: "Figma" });
  await change(aiko.ask, `POST catalog/requests/${licence.id}/take`);
  await request(priya.ask, items, "Laptop", { model: "Strong, 16 inch" });
  const screen = await make(noah.ask, "itsm/incidents", {
    title: "Second monitor flickers after docking",
    description: "It began after the update of Monday.",
  });
  await change(mara.ask, `POST itsm/incidents/${screen.id}/take`);
  await make(mara.ask, `itsm/incidents/${screen.id}/comments`, {
    body: "The dock got its new firmware. Could you have a look?",
  });
  const resolution = "New firmware for the dock.";
  await change(mara.ask, `POST itsm/incidents/${screen.id}/resolve`, { resolution });
}

/** The latest requests: a pending approval, and a printer problem in progress. */
export async function askForMore(people: People, items: Items): Promise<void> {
  const { noah, clara, tomas } = people;
  const folder = "\\\\files\\finance\\2026";
  await request(clara.ask, items, "Access to a folder", { folder, level: "Read" });
  const printer = await make(noah.ask, "itsm/incidents", {
    title: "Printer on floor 3 shows offline",
    description: "Nobody on our floor can print since this morning.",
  });
  await change(tomas.ask, `POST itsm/incidents/${printer.id}/take`);
  await make(tomas.ask, `itsm/incidents/${printer.id}/comments`, {
    body: "Is its display dark, or does it say something?",
  });
  await make(noah.ask, `itsm/incidents/${printer.id}/comments`, {
    body: "It says “Waiting for network”.",
  });
}

/** Declares a public outage: the shop does not accept cards. */
export async function declareOutage(
  ask: Ask,
  { mara, teams }: People,
  itemId: string,
): Promise<void> {
  const { id } = await make(mara.ask, "itsm/incidents", {
    title: "Card payments fail in the shop",
    description: "The payment service answers 502 for about half of all cards.",
    impact: 1,
    urgency: 1,
    severity: "critical",
    category: "Payments",
    teamId: teams.platform,
    ciIds: [itemId],
  });
  await change(ask, `POST itsm/incidents/${id}/major`, { reason: "Half of all orders are lost" });
  await change(ask, `POST itsm/incidents/${id}/broadcast`, {
    message:
      "Card payments fail for some customers. We have found the cause, and expect to be done within the hour.",
  });
}
