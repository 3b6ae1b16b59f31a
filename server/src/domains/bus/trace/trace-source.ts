/** Reads the items of a trace: the focus, its causes and its effects, within limits. */
import { holdsPermission } from "#kernel/access/permission.ts";
import { AuditRead } from "#domains/audit/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import {
  CausalTracerPoint,
  ResourceNamerPoint,
  type TracedSource,
} from "#kernel/contributions/causal-tracer.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import {
  readCausedEvents,
  readCauses,
  readMadeEvents,
  type TraceWindow,
} from "#kernel/log/causal-chain.ts";
import { findEvent } from "#kernel/log/event-log.ts";
import { type LogPosition, positionOf, type RecordedEvent } from "#kernel/log/event.ts";
import { filterLightEvents, visibilityContext } from "#kernel/log/event-visibility.ts";
import { readResourceEvents } from "#kernel/log/resource-history.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { AUDIT } from "../topic.ts";

const EVENTS_MAX = 5_000;
/** The limit for events about one resource. */
const RESOURCE_EVENTS_MAX = 20;
const RUN_EVENTS_MAX = 200;
/** The limit for links between the focus and its root, if the chain is too long to read completely. */
const ANCESTORS_MAX = 64;

/** An item of a domain, such as a run, with its kind. */
export type SourceItem = TracedSource & { readonly kind: string };

export interface TraceFocus {
  readonly kind: string;
  readonly id: string;
  /** The nodes that represent it. */
  readonly ids: readonly string[];
}

/** All found items, including hidden events, because others may only be known through them. */
export interface TraceSource {
  readonly focus: TraceFocus;
  readonly events: readonly RecordedEvent[];
  /** The visible form of events by id. */
  readonly visible: ReadonlyMap<string, RecordedEvent>;
  readonly items: readonly SourceItem[];
  readonly truncated: boolean;
}

/** Reads the trace of an event, of an item such as a run, of a ticket number, or of any resource. */
export async function readTraceSource(ctx: ReadContext, name: string): Promise<TraceSource> {
  const reader = new TraceReader(ctx);
  return reader.read(name);
}

class TraceReader {
  readonly #ctx: ReadContext;
  readonly #events = new Map<string, RecordedEvent>();
  readonly #items = new Map<string, SourceItem>();
  readonly #window: TraceWindow = { eventsMax: EVENTS_MAX };
  #truncated = false;

  constructor(ctx: ReadContext) {
    this.#ctx = ctx;
  }

  async read(name: string): Promise<TraceSource> {
    const { focus, seeds, from } = await this.#resolve(name);
    this.#addEvents(seeds);
    const item = this.#items.get(focus.id);
    const correlations = [...seeds, ...(item ? [item] : [])].flatMap(
      ({ correlationId }) => correlationId ?? [],
    );
    await this.#readChains([...new Set(correlations)], from);
    await this.#readItems();
    await this.#readAncestors(focus.ids);
    await this.#readEffects();
    const events = [...this.#events.values()];
    const visible = await this.#filterVisible(events);
    if (!focus.ids.some((id) => visible.has(id) || this.#items.has(id)))
      throw new Failure(NotFound);
    const items = [...this.#items.values()];
    return { focus, events, visible, items, truncated: this.#truncated };
  }

  /** The focus with its first events. `from` is the first position of its effects. */
  async #resolve(name: string): Promise<{
    readonly focus: TraceFocus;
    readonly seeds: readonly RecordedEvent[];
    readonly from: LogPosition | undefined;
  }> {
    const { tx, services } = this.#ctx;
    const position = positionOf(name);
    if (position) {
      const event = await findEvent(tx, position);
      if (!event) throw new Failure(NotFound);
      return { focus: { kind: "event", id: name, ids: [name] }, seeds: [event], from: position };
    }
    const [item] = await this.#readById([name]);
    if (item) {
      const about = await readResourceEvents(tx, name, RUN_EVENTS_MAX);
      const made = await readMadeEvents(tx, [name], this.#window);
      const cause = item.causationId === null ? [] : [item.causationId];
      const seeds = [...about, ...made, ...(await readCauses(tx, cause, this.#window))];
      const [first] = [...about, ...made];
      return { focus: { kind: item.kind, id: name, ids: [name] }, seeds, from: first?.position };
    }
    let id = name;
    for (const findId of contributionsTo(ResourceNamerPoint, services.contributions)) {
      id = (await findId(this.#ctx, name)) ?? id;
    }
    const seeds = await readResourceEvents(tx, id, RESOURCE_EVENTS_MAX);
    const ids = seeds.map((event) => event.id);
    return { focus: { kind: "resource", id, ids }, seeds, from: seeds[0]?.position };
  }

  /** Reads complete chains from their start. For one that is too long, also reads what follows the focus. */
  async #readChains(
    correlationIds: readonly string[],
    from: LogPosition | undefined,
  ): Promise<void> {
    const { tx } = this.#ctx;
    const { events, truncated } = await readCausedEvents(tx, correlationIds, this.#window);
    this.#addEvents(events);
    if (truncated) {
      this.#truncated = true;
      if (from) {
        const after = await readCausedEvents(tx, correlationIds, { ...this.#window, after: from });
        this.#addEvents(after.events);
      }
    }
    const makers = [...this.#events.values()].flatMap(({ madeBy }) =>
      madeBy?.id.startsWith("exe_") ? [madeBy.id] : [],
    );
    this.#addEvents(await readMadeEvents(tx, [...new Set(makers)], this.#window));
    const causes = [...this.#events.values()].map(({ id, causationId }) => causationId ?? id);
    const known = new Set(this.#events.keys());
    const unread = causes.filter(
      (id) => !known.has(id) || this.#events.get(id)?.causationId === null,
    );
    this.#addEvents(await readCauses(tx, [...new Set(unread)], this.#window));
  }

  /** Reads the runs and executions that events are about, or that made them. */
  async #readItems(): Promise<void> {
    const named = [...this.#events.values()].flatMap(({ resource, madeBy }) => [
      ...(resource.type === "run" ? [resource.id] : []),
      ...(madeBy ? [madeBy.id] : []),
    ]);
    await this.#readById([...new Set(named)].filter((id) => !this.#items.has(id)));
  }

  /** Follows the focus to its root, if that was not read yet. */
  async #readAncestors(ids: readonly string[]): Promise<void> {
    let next = ids.flatMap((id) => this.#parentsOf(id));
    for (let links = 0; links < ANCESTORS_MAX && next.length > 0; links += 1) {
      const missing = next.filter((id) => !this.#events.has(id) && !this.#items.has(id));
      if (missing.length > 0) {
        this.#addEvents(await readCauses(this.#ctx.tx, missing.filter(isEventId), this.#window));
        await this.#readById(missing.filter((id) => !isEventId(id)));
      }
      const known = next.filter((id) => this.#events.has(id) || this.#items.has(id));
      next = [...new Set(known.flatMap((id) => this.#parentsOf(id)))];
    }
  }

  #parentsOf(id: string): string[] {
    const { causationId, madeBy } = this.#events.get(id) ?? this.#items.get(id) ?? {};
    return [...(causationId ? [causationId] : []), ...(madeBy ? [madeBy.id] : [])];
  }

  /** Reads the effects of events other than events. */
  async #readEffects(): Promise<void> {
    const ids = [...this.#events.keys()];
    for (const tracer of this.#tracers()) {
      const found = await tracer.find(this.#ctx.tx, ids);
      for (const item of found) this.#items.set(item.id, { ...item, kind: tracer.kind });
    }
  }

  async #readById(ids: readonly string[]): Promise<SourceItem[]> {
    const found: SourceItem[] = [];
    for (const { kind, prefix, read } of this.#tracers()) {
      const own = ids.filter((id) => prefix !== undefined && id.startsWith(`${prefix}_`));
      if (own.length === 0 || !read) continue;
      found.push(...(await read(this.#ctx.tx, own)).map((item) => ({ ...item, kind })));
    }
    for (const item of found) this.#items.set(item.id, item);
    return found;
  }

  /** The tracers of items that the caller can see. */
  #tracers() {
    const { services, caller } = this.#ctx;
    return contributionsTo(CausalTracerPoint, services.contributions).filter(
      ({ permission }) => !permission || holdsPermission(caller.permissions, permission),
    );
  }

  #addEvents(events: readonly RecordedEvent[]): void {
    for (const event of events) if (!this.#events.has(event.id)) this.#events.set(event.id, event);
  }

  async #filterVisible(
    events: readonly RecordedEvent[],
  ): Promise<ReadonlyMap<string, RecordedEvent>> {
    const { caller } = this.#ctx;
    const readsAudit = caller.permissions.has(AuditRead.name);
    const readable = readsAudit ? events : events.filter(({ topic }) => topic !== AUDIT);
    const seen = await filterLightEvents(visibilityContext(this.#ctx), caller.principal, readable);
    return new Map(seen.map((event) => [event.id, event]));
  }
}

function isEventId(id: string): boolean {
  return positionOf(id) !== undefined;
}
