/** The service desk: SLA policies, callers, and tickets from a day and a half. */
import type { Ask } from "../../faults/asker.ts";
import type { Member } from "../house.ts";
import { change, make } from "./made.ts";
import type { People } from "./people.ts";

const HOUR_MINUTES = 60;

/** Policies by priority, 1 to 5, with their targets in hours. */
const PROMISES = [
  { name: "Urgent", priority: { lte: 2 }, response: 1, resolution: 4 },
  { name: "Standard", priority: 3, response: 4, resolution: 9 },
  { name: "Whenever there is time", priority: { gte: 4 }, response: 24, resolution: 48 },
] as const;

export async function createPromises(ask: Ask): Promise<void> {
  for (const { name, priority, response, resolution } of PROMISES) {
    await make(ask, "itsm/sla-policies", {
      name,
      entity: "incident",
      conditions: { priority },
      targets: [
        { metric: "response", minutes: response * HOUR_MINUTES },
        { metric: "resolution", minutes: resolution * HOUR_MINUTES },
      ],
      pauseOn: ["on_hold"],
    });
  }
}

type Team = keyof People["teams"];
type Agent = "mara" | "tomas" | "aiko" | "elif";

interface Ticket {
  /** The age in minutes. */
  readonly ago: number;
  readonly title: string;
  readonly caller: string;
  /** Impact and urgency, 1 high to 3 low. */
  readonly weight: readonly [number, number];
  readonly team: Team;
  readonly category: string;
  readonly by?: Agent;
  /** The reply to the caller. */
  readonly answer?: string;
  readonly hold?: string;
  readonly resolution?: string;
}

const TICKETS: readonly Ticket[] = [
  {
    ago: 1620,
    title: "Timesheet rejects the last week of October",
    caller: "Jonas Weber",
    weight: [3, 3],
    team: "platform",
    category: "Software",
    by: "aiko",
    answer: "The month was closed too early. Payroll opens it again tomorrow.",
  },
  {
    ago: 1620,
    title: "Docking station loses the network after lunch",
    caller: "Sven Aalto",
    weight: [3, 2],
    team: "desk",
    category: "Hardware",
    by: "mara",
    hold: "A new dock is on its way",
    answer: "That model is known for it. A new one comes on Thursday.",
  },
  {
    ago: 1620,
    title: "Password reset mail never arrives",
    caller: "Priya Raman",
    weight: [3, 2],
    team: "desk",
    category: "Access",
    by: "aiko",
    resolution: "Her address was on the list of bounces.",
  },
  {
    ago: 1320,
    title: "Shared drive is read-only since the move",
    caller: "Ines Moreau",
    weight: [3, 3],
    team: "platform",
    category: "Storage",
    by: "elif",
  },
  {
    ago: 1320,
    title: "Calendar invitations arrive twice",
    caller: "Owen Hughes",
    weight: [3, 3],
    team: "desk",
    category: "Mail",
  },
  {
    ago: 420,
    title: "Label printer in the warehouse prints blanks",
    caller: "Sven Aalto",
    weight: [2, 2],
    team: "desk",
    category: "Hardware",
    by: "tomas",
    answer: "We bring a spare one at two.",
  },
  {
    ago: 420,
    title: "Stock numbers differ between shop and warehouse",
    caller: "Ines Moreau",
    weight: [2, 2],
    team: "platform",
    category: "Software",
    by: "elif",
  },
  {
    ago: 300,
    title: "Returns can't be booked for orders of 2025",
    caller: "Clara Rossi",
    weight: [2, 1],
    team: "platform",
    category: "Software",
    by: "aiko",
    answer: "We have found the cause and are testing a fix.",
  },
  {
    ago: 300,
    title: "Phone rings but nobody is there",
    caller: "Owen Hughes",
    weight: [3, 2],
    team: "network",
    category: "Telephony",
  },
  {
    ago: 180,
    title: "Wi-Fi in the Oslo canteen is slow",
    caller: "Jonas Weber",
    weight: [2, 2],
    team: "network",
    category: "Network",
    by: "tomas",
  },
  {
    ago: 180,
    title: "Scanner sends empty files",
    caller: "Lucía Prieto",
    weight: [3, 3],
    team: "desk",
    category: "Hardware",
    by: "mara",
  },
  {
    ago: 180,
    title: "Invoices are sent twice since noon",
    caller: "Clara Rossi",
    weight: [2, 1],
    team: "platform",
    category: "Software",
    by: "elif",
    answer: "The second mail is held back from now on.",
  },
  {
    ago: 40,
    title: "Badge reader at the west door is dead",
    caller: "Owen Hughes",
    weight: [2, 2],
    team: "desk",
    category: "Building",
  },
  {
    ago: 40,
    title: "Projector in room Bergen stays dark",
    caller: "Ines Moreau",
    weight: [3, 2],
    team: "desk",
    category: "Hardware",
    by: "mara",
  },
  {
    ago: 12,
    title: "Laptop does not wake up after the update",
    caller: "Jonas Weber",
    weight: [3, 2],
    team: "desk",
    category: "Hardware",
  },
];

export type Callers = ReadonlyMap<string, string>;

export async function createCallers(ask: Ask, people: People): Promise<Callers> {
  const callers = new Map([
    ["Clara Rossi", people.clara.id],
    ["Priya Raman", people.priya.id],
  ]);
  for (const { caller } of TICKETS) {
    if (callers.has(caller)) continue;
    const address = `${caller.split(" ")[0]?.toLowerCase()}@nordwind.example`;
    callers.set(caller, (await make(ask, "itsm/contacts", { name: caller, address })).id);
  }
  return callers;
}

/** Creates the tickets of this age, and performs their first actions. */
export async function raiseTickets(people: People, callers: Callers, ago: number): Promise<void> {
  for (const ticket of TICKETS.filter((one) => one.ago === ago)) {
    const { title, caller, weight, team, category } = ticket;
    const [impact, urgency] = weight;
    const { id } = await make(people.mara.ask, "itsm/incidents", {
      title,
      impact,
      urgency,
      category,
      callerId: callers.get(caller),
      teamId: people.teams[team],
    });
    if (ticket.by) await work(people[ticket.by], `itsm/incidents/${id}`, ticket);
  }
}

async function work(by: Member, path: string, { answer, hold, resolution }: Ticket): Promise<void> {
  await change(by.ask, `POST ${path}/take`);
  if (answer !== undefined) await make(by.ask, `${path}/comments`, { body: answer });
  if (hold !== undefined) {
    await change(by.ask, `PATCH ${path}`, { state: "on_hold", onHoldReason: hold });
  }
  if (resolution !== undefined) await change(by.ask, `POST ${path}/resolve`, { resolution });
}

/** The ticket opened in a screenshot: its number, and its remaining replies. */
export interface Conversation {
  readonly number: string;
  readonly goOn: () => Promise<void>;
  readonly end: () => Promise<void>;
}

export async function beginConversation(people: People, itemId: string): Promise<Conversation> {
  const { mara, tomas, priya, teams } = people;
  const { id, number } = await make<{ id: string; number: string }>(mara.ask, "itsm/incidents", {
    title: "VPN drops every ten minutes in the Lisbon office",
    description:
      "It began around nine and concerns the whole floor. Restarting did not help, and nothing was changed on our side.",
    impact: 2,
    urgency: 1,
    category: "Network",
    callerId: priya.id,
    teamId: teams.network,
    ciIds: [itemId],
  });
  const path = `itsm/incidents/${id}`;
  return {
    number,
    async goOn() {
      await change(mara.ask, `POST ${path}/take`);
      const begun = { state: "in_progress", severity: "high", tags: ["lisbon", "vpn"] };
      await change(mara.ask, `PATCH ${path}`, begun);
      const body = "Thank you, Priya. We see the drops too. Is it the same on the cable?";
      await make(mara.ask, `${path}/comments`, { body });
    },
    async end() {
      await make(priya.ask, `${path}/comments`, {
        body: "Yes, on the cable as well. Calls break off most of all.",
      });
      await make(tomas.ask, `${path}/comments`, {
        body: "The gateway renegotiates its keys every 600 s since the firmware of last night. I have a window for the rollback at 19:00.",
        internal: true,
      });
    },
  };
}
