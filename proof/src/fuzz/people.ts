import type { Ask } from "../../../server/src/kernel/testing/world.ts";
import type { Intent } from "./call.ts";
import type { Operation } from "./contract.ts";
import type { Input } from "./corpus.ts";
import type { Dice } from "./dice.ts";
import type { Country, Person } from "./world.ts";

/** The caller and their workspace. */
export interface Chosen {
  readonly ask: Ask;
  readonly side: "a" | "b";
}

/** After this number of requests, users are replaced, because some have lost their roles or memberships. */
const SHIFT_REQUESTS = 3_000;
/** Operations that can end the caller's session or block a whole workspace. They are called by spare users. */
const ENDING =
  /^(auth\.logout|passwords\.|mfa\.|sso\.|workspaces\.update|tokens\.|users\.(update|remove)|roles\.(un)?assign)/;

/** The users of a run: an owner, a builder, an agent and a viewer of A, an owner of B, and an anonymous caller. */
export class People {
  readonly country: Country;
  readonly #abroad: Country;
  #team: Readonly<Record<"owner" | "builder" | "agent" | "viewer" | "foreigner", Person>>;
  /** The owner of a spare workspace. */
  #spare: Person;
  #nextShift = SHIFT_REQUESTS;

  private constructor(country: Country, abroad: Country, team: People["team"], spare: Person) {
    this.country = country;
    this.#abroad = abroad;
    this.#team = team;
    this.#spare = spare;
  }

  static async gather(a: Country, b: Country): Promise<People> {
    return new People(a, b, await teamOf(a, b), await spareOf(a));
  }

  get team(): Readonly<Record<"owner" | "builder" | "agent" | "viewer" | "foreigner", Person>> {
    return this.#team;
  }

  get owner(): Person {
    return this.#team.owner;
  }

  get foreigner(): Person {
    return this.#team.foreigner;
  }

  /** Replaces all users when it is time. */
  async renew(requests: number): Promise<void> {
    if (requests < this.#nextShift) return;
    this.#nextShift = requests + SHIFT_REQUESTS;
    this.#team = await teamOf(this.country, this.#abroad);
    this.#spare = await spareOf(this.country);
  }

  /** The caller of an operation, usually one with the permission. */
  async chooseFor(
    op: Operation,
    base: Input | undefined,
    intent: Intent,
    dice: Dice,
  ): Promise<Chosen> {
    const { owner, builder, agent, viewer, foreigner } = this.#team;
    const isMeantWell = intent === "exactly" || intent === "well";
    if (base?.by && (isMeantWell || dice.chance(0.7))) return { ask: base.by, side: "a" };
    if (isMeantWell) return { ask: owner, side: "a" };
    const nobody = this.country.ask(
      undefined,
      dice.chance(0.5) ? this.country.place.slug : undefined,
    );
    const boss = ENDING.test(op.name) ? this.#spare : owner;
    return dice.weighted<Chosen>([
      [10, { ask: boss, side: "a" }],
      [2, { ask: builder, side: "a" }],
      [2, { ask: agent, side: "a" }],
      [1, { ask: viewer, side: "a" }],
      [2, { ask: ENDING.test(op.name) ? this.#spare : foreigner, side: "b" }],
      [op.needsCredential ? 0.3 : 6, { ask: nobody, side: "a" }],
    ]);
  }
}

async function teamOf(a: Country, b: Country): Promise<People["team"]> {
  return {
    owner: await a.member(["owner"]),
    builder: await a.member(["builder"]),
    agent: await a.member(["agent"]),
    viewer: await a.member(["viewer"]),
    foreigner: await b.member(["owner"]),
  };
}

async function spareOf(country: Country): Promise<Person> {
  return country.member(["owner"], await country.found("spare"));
}
