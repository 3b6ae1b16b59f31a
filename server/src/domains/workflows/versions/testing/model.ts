/** A reference model of the version rules, compared with the implementation. */
export const ENVIRONMENTS = ["production", "staging", "development"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

interface ModelVersion {
  readonly number: number;
  readonly content: string;
  id: string;
  archived: boolean;
}

interface Seen {
  readonly id: string;
  readonly version: number;
  readonly createdAt: string;
  readonly author: unknown;
  readonly changeSummary: string;
}

const ARCHIVED_OR_ACTIVE = 409;
const PUBLISHED = ["workflow.published", "deploy.completed"];
const ROLLED_BACK = ["workflow.rolled_back", "deploy.completed"];

/** Each method returns the expected events, or the status of the rejection. */
export class Model {
  live: string;
  readonly firstSeen = new Map<string, unknown>();
  readonly #versions: ModelVersion[] = [];
  #draft: number | undefined;
  readonly #deployed = new Map<Environment, { number: number; before: number | undefined }>();

  constructor(content: string) {
    this.live = content;
    this.#append();
  }

  /** Stores the ids and initial contents of new versions. */
  name(history: readonly Seen[]): void {
    for (const { id, version, createdAt, author, changeSummary } of history) {
      this.#at(version).id = id;
      if (!this.firstSeen.has(id)) this.firstSeen.set(id, { createdAt, author, changeSummary });
    }
  }

  pick(index: number): { readonly number: number; readonly id: string } {
    return this.#at((index % this.#versions.length) + 1);
  }

  contentOf(id: string): string | undefined {
    return this.#versions.find((version) => version.id === id)?.content;
  }

  save(content: string): readonly string[] {
    if (content === this.live) return [];
    this.live = content;
    return ["workflow.updated", ...this.#append()];
  }

  snapshot(): readonly string[] {
    return this.#append();
  }

  publish(environment: Environment): readonly string[] {
    const newest = this.#at(this.#versions.length);
    const stale = newest.archived || newest.content !== this.live;
    const appended = stale ? this.#append() : [];
    return [...appended, ...this.#deploy(environment, this.#versions.length, PUBLISHED)];
  }

  publishVersion(environment: Environment, number: number): readonly string[] | number {
    if (this.#at(number).archived) return ARCHIVED_OR_ACTIVE;
    return this.#deploy(environment, number, PUBLISHED);
  }

  rollback(environment: Environment): readonly string[] | number {
    const before = this.#deployed.get(environment)?.before;
    if (before === undefined || this.#at(before).archived) return ARCHIVED_OR_ACTIVE;
    return this.#deploy(environment, before, ROLLED_BACK);
  }

  restore(number: number): readonly string[] {
    this.live = this.#at(number).content;
    return ["workflow.restored"];
  }

  archive(number: number): readonly string[] | number {
    const version = this.#at(number);
    if (version.archived) return [];
    if (this.#activeIn(number).length > 0) return ARCHIVED_OR_ACTIVE;
    version.archived = true;
    if (this.#draft === number) this.#draft = undefined;
    return ["workflow.version_archived"];
  }

  /** Newest first, as in the API. */
  history() {
    return this.#versions
      .map(({ number }) => ({
        version: number,
        status: this.#statusOf(number),
        activeIn: this.#activeIn(number),
      }))
      .toReversed();
  }

  environments() {
    return Object.fromEntries(
      ENVIRONMENTS.map((environment) => {
        const deployed = this.#deployed.get(environment);
        if (!deployed) return [environment, null];
        const { id, number } = this.#at(deployed.number);
        return [environment, { versionId: id, version: number, enabled: true }];
      }),
    );
  }

  #append(): readonly string[] {
    const number = this.#versions.length + 1;
    this.#versions.push({ number, content: this.live, id: "", archived: false });
    this.#draft = number;
    return ["workflow.version_created"];
  }

  #deploy(environment: Environment, number: number, events: readonly string[]): readonly string[] {
    const current = this.#deployed.get(environment);
    const before = current?.number === number ? current.before : current?.number;
    this.#deployed.set(environment, { number, before });
    if (this.#draft === number) this.#draft = undefined;
    return current ? events : [...events, "workflow.activated"];
  }

  #statusOf(number: number): string {
    if (this.#at(number).archived) return "archived";
    if (this.#activeIn(number).length > 0) return "active";
    return this.#draft === number ? "draft" : "superseded";
  }

  #activeIn(number: number): Environment[] {
    return ENVIRONMENTS.filter((one) => this.#deployed.get(one)?.number === number);
  }

  #at(number: number): ModelVersion {
    const version = this.#versions[number - 1];
    if (!version) throw new Error(`There is no version ${number}.`);
    return version;
  }
}
