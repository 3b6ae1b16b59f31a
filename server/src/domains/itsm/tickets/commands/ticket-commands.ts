/**
 * Declares ticket commands. A kind declares the input, changes and event; the route, lock, If-Match, state
 * check, revision and response are derived.
 */
import type { Static, TObject, TSchema, TUndefined } from "typebox";
import { authorOf } from "#kernel/access/caller.ts";
import type { Permission } from "#kernel/access/permission.ts";
import {
  diffResource,
  type EventData,
  type EventType,
  type ResourceRef,
} from "#kernel/log/event.ts";
import type { CallEffect } from "#kernel/access/call-effect.ts";
import { Failure, type FailureType, Forbidden } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import type { Operation, ReadContext, Route, WriteContext } from "#kernel/contract.ts";
import { item } from "#kernel/operation/response.ts";
import { type TicketKind, ticketParams } from "../kind.ts";
import type { StateMachine, TransitionContext } from "../state-machine.ts";
import { nextState, statesWith } from "../state-machine.ts";
import type { TicketStore } from "../ticket-store.ts";
import { isAsker, seesOwnOnly, ticketForParty } from "../askers/party.ts";
import { getTicketIdentity, ticketRefOf } from "../ticket.ts";

interface Ticket {
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly state: string;
  readonly updatedAt: string;
  readonly revision: number;
}

/** The properties of a ticket kind that commands need. */
export interface TicketModel<T extends Ticket, Action extends string, S extends TObject> {
  readonly kind: TicketKind;
  readonly machine: StateMachine<T["state"], Action>;
  /** The schema of responses and of event data. */
  readonly schema: S;
  readonly toData: (ticket: T) => Static<S>;
  readonly store: Pick<TicketStore<T>, "lock" | "update">;
  /** Returns the ticket after an action, with these fields. Throws 409 if not allowed in the current state. */
  readonly applyTransition: (
    ticket: T,
    action: Action,
    context: TransitionContext,
    fields?: Partial<T>,
  ) => T;
  /** The reference of a ticket in examples. */
  readonly example: string;
}

interface CommandDocs<Body extends TSchema> {
  /** Default: `POST <path>/{id}/<name>`. */
  readonly route?: Route;
  readonly aliases?: readonly Route[];
  /** The effect of a call, see `declaredEffect`. */
  readonly effect: CallEffect;
  readonly summary: string;
  readonly description?: string;
  /** Default: the permission to write tickets of the kind. */
  readonly permission?: Permission;
  readonly body?: Body;
  readonly example?: Static<Body>;
  readonly fails?: readonly FailureType[];
  /** Also allowed for requesters without permission to work on such tickets. */
  readonly forAskers?: true;
  /** The allowed states. Default: all, or those in the state machine for a transition. */
  readonly states?: readonly string[] | undefined;
}

export interface TicketCommand<
  T,
  E extends EventType,
  Body extends TSchema,
> extends CommandDocs<Body> {
  readonly emits: readonly E[];
  readonly allowNoop?: boolean;
  /** Called with the locked ticket. Resolves to the ticket of the response. */
  readonly run: (ctx: WriteContext<E>, ticket: T, body: Static<Body>) => T | Promise<T>;
}

/** Event data fields that the ticket does not have, or has with another value. */
type Details<E extends EventType, Data> = Omit<EventData<E>, keyof Data> & Partial<Data>;

interface TransitionCommand<
  T,
  E extends EventType,
  Also extends EventType,
  Body extends TSchema,
> extends CommandDocs<Body> {
  readonly event: E;
  /** The events of `fields` and `effects`. */
  readonly alsoEmits?: readonly Also[];
  /** Throws if the caller cannot perform the command in any state. */
  readonly authorize?: (ctx: ReadContext, ticket: T) => void;
  /** Additional changed fields. */
  readonly fields?: (
    ctx: WriteContext<Also>,
    ticket: T,
    body: Static<Body>,
  ) => Partial<T> | Promise<Partial<T>>;
  /** Called with the saved ticket, after its event. */
  readonly effects?: (
    ctx: WriteContext<E | Also>,
    ticket: T,
    body: Static<Body>,
  ) => void | Promise<void>;
}

/** Required if the event data needs more than the ticket. */
type WithDetails<T, E extends EventType, Body extends TSchema, Data> =
  Data extends EventData<E>
    ? { readonly details?: DetailsOf<T, E, Body, Data> }
    : { readonly details: DetailsOf<T, E, Body, Data> };
type DetailsOf<T, E extends EventType, Body extends TSchema, Data> = (
  ctx: ReadContext,
  ticket: T,
  body: Static<Body>,
) => Details<E, Data> | Promise<Details<E, Data>>;

/** The commands of one kind of ticket. */
export interface TicketCommands<T extends Ticket, Action extends string, Data> {
  /** Declares a command that does not change the state, or determines the new state itself. */
  readonly command: <E extends EventType, Body extends TSchema = TUndefined>(
    name: string,
    declaration: TicketCommand<T, E, Body>,
  ) => Operation;
  /** Declares an action of the state machine as a command. */
  readonly transition: <
    E extends EventType,
    Also extends EventType = never,
    Body extends TSchema = TUndefined,
  >(
    action: Action,
    declaration: TransitionCommand<T, E, Also, Body> & WithDetails<T, E, Body, Data>,
  ) => Operation;
  /** Performs an action on a locked ticket: sets the state and revision, and emits the event. */
  readonly perform: <E extends EventType>(
    ctx: WriteContext<NoInfer<E>>,
    ticket: T,
    transition: {
      readonly action: Action;
      readonly event: Data extends EventData<E> ? E : never;
      readonly fields?: Partial<T>;
    },
  ) => Promise<T>;
  /** Writes a locked ticket as its next revision. */
  readonly save: (ctx: WriteContext<never>, before: T, after: T) => Promise<T>;
  /** Writes a locked ticket as its next revision, and emits the changed fields. */
  readonly saveChanges: <E extends EventType<`${string}.updated`>>(
    ctx: WriteContext<NoInfer<E>>,
    before: T,
    after: T,
    event: E,
  ) => Promise<T>;
  readonly emit: <E extends EventType>(
    ctx: WriteContext<NoInfer<E>>,
    event: E,
    ticket: T,
    ...details: Data extends EventData<E> ? [details?: Partial<Data>] : [details: Details<E, Data>]
  ) => void;
}

export function ticketCommands<T extends Ticket, Action extends string, S extends TObject>(
  model: TicketModel<T, Action, S>,
): TicketCommands<T, Action, Static<S>> {
  return {
    command: (name, declaration) => ticketCommand(model, name, declaration),
    transition: (action, declaration) => transitionCommand(model, action, declaration),
    perform: (ctx, ticket, transition) => performTransition(model, ctx, ticket, transition),
    save: (ctx, before, after) => saveTicket(model, ctx, before, after),
    async saveChanges(ctx, before, after, event) {
      const saved = await saveTicket(model, ctx, before, after);
      emitEvent(ctx, event, saved, diffResource(model.toData(before), model.toData(saved)));
      return saved;
    },
    emit: (ctx, event, ticket, details?: object) =>
      emitEvent(ctx, event, ticket, { ...model.toData(ticket), ...details }),
  };
}

function transitionCommand<
  T extends Ticket,
  Action extends string,
  E extends EventType,
  Also extends EventType,
  Body extends TSchema,
>(
  model: TicketModel<T, Action, TObject>,
  action: Action,
  declaration: TransitionCommand<T, E, Also, Body> & {
    readonly details?: (ctx: ReadContext, of: T, body: Static<Body>) => object | Promise<object>;
  },
): Operation {
  const { event, alsoEmits = [], authorize, fields, effects, details, ...docs } = declaration;
  return ticketCommand<T, E | Also, Body>(model, action, {
    ...docs,
    fails: [model.machine.wrongState, ...(docs.fails ?? [])],
    emits: [event, ...alsoEmits],
    async run(ctx, ticket, body) {
      authorize?.(ctx, ticket);
      nextState(model.machine, ticket.state, action);
      const after = await performTransition(model, ctx, ticket, {
        action,
        event,
        fields: await fields?.(ctx, ticket, body),
        details: await details?.(ctx, ticket, body),
      });
      await effects?.(ctx, after, body);
      return after;
    },
  });
}

async function performTransition<T extends Ticket, Action extends string>(
  model: TicketModel<T, Action, TObject>,
  ctx: WriteContext<never>,
  ticket: T,
  transition: {
    readonly action: Action;
    readonly event: EventType;
    readonly fields?: Partial<T> | undefined;
    readonly details?: object | undefined;
  },
): Promise<T> {
  const { action, event, fields, details } = transition;
  const context = { at: ctx.now.toISOString(), by: authorOf(ctx.caller) };
  const next = model.applyTransition(ticket, action, context, fields);
  const after = await saveTicket(model, ctx, ticket, next);
  emitEvent(ctx, event, after, { ...model.toData(after), ...details });
  return after;
}

function ticketCommand<T extends Ticket, E extends EventType, Body extends TSchema>(
  model: Omit<TicketModel<T, never, TObject>, "machine" | "applyTransition">,
  name: string,
  { route, permission, example, forAskers, run, ...declaration }: TicketCommand<T, E, Body>,
): Operation {
  const { kind, schema, store, toData } = model;
  return command({
    ...declaration,
    id: `${kind.plural}.${name}`,
    route: route ?? `POST ${kind.path}/{id}/${name}`,
    permission: permission ?? (forAskers ? kind.read : kind.write),
    params: ticketParams(kind),
    bodyOptional: isOptional(declaration.body),
    states: declaration.states ?? statesWith(kind.machine, name),
    response: item(schema),
    example: { params: { id: model.example }, ...(example !== undefined && { body: example }) },
    async run(ctx, { params: { id }, body }) {
      const ownOnly = seesOwnOnly(kind, ctx.caller);
      if (forAskers) await assertAsker(ctx, kind, id);
      else if (ownOnly) await getTicketIdentity(ctx, kind, id);
      const before = await store.lock(ctx.tx, id);
      ctx.expectRevision(before.revision);
      const after = await run(ctx, before, body);
      const data = { ...toData(after), revision: after.revision };
      return ownOnly ? ticketForParty(kind, data) : data;
    },
  });
}

/** Throws unless the caller works on such tickets or requested this one. Throws 404 if the caller cannot see it. */
async function assertAsker(ctx: ReadContext, kind: TicketKind, ref: string): Promise<void> {
  const { permissions, principal } = ctx.caller;
  if (permissions.has(kind.write.name)) return;
  const ticket = await getTicketIdentity(ctx, kind, ref);
  if (principal && isAsker(principal.id, ticket)) return;
  throw new Failure(Forbidden, {
    detail: `For tickets of other people, this requires ${kind.write.name}.`,
  });
}

/** True for a body with only optional fields, which can be omitted. */
function isOptional(body: TSchema | undefined): boolean {
  const { required, minProperties }: Partial<TObject> & { minProperties?: number } = body ?? {};
  return body !== undefined && !required?.length && minProperties === undefined;
}

async function saveTicket<T extends Ticket>(
  { store }: Pick<TicketModel<T, never, TObject>, "store">,
  ctx: WriteContext<never>,
  before: T,
  after: T,
): Promise<T> {
  const updatedAt = ctx.now.toISOString();
  const saved = { ...after, updatedAt, revision: before.revision + 1 };
  await store.update(ctx, before, saved);
  return saved;
}

/** The types of the functions above have checked the data of the event. */
function emitEvent(
  { emit }: WriteContext<never>,
  event: EventType,
  ticket: Ticket,
  data: object,
): void {
  const append = emit as (event: EventType, resource: ResourceRef, data: unknown) => void;
  append(event, ticketRefOf(ticket), data);
}
