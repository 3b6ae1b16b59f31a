import type { Operation } from "../contract.ts";
import type { Ask, World } from "./world.ts";

/**
 * A call of one operation that succeeds, and what must be there before it. Each domain has such
 * samples beside it; the sweep finds them and fails when an operation has none.
 */
export interface Sample {
  readonly operation: string;
  /** Distinguishes several samples of one operation. */
  readonly name?: string;
  /** Makes what the call needs, as an owner, and says what to send. */
  readonly arrange: (owner: Ask, world: World) => Promise<Arranged>;
}

export interface Arranged {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Who calls, when it is not the owner. */
  readonly by?: Ask;
  /** The status of the answer, when it is not the declared one. */
  readonly status?: number;
  /** False where the things of one environment are those of all, or where there is no thing. */
  readonly environmentScoped?: boolean;
  /** False for what a stranger to the thing may see too, such as a catalog. */
  readonly partitioned?: boolean;
  /** True where whatever is well-formed will do, such as the name of a topic. */
  readonly openParams?: boolean;
}

/** A plain resource, as far as its samples need to know it. */
interface SampledResource {
  readonly declaration: {
    readonly path: string;
    readonly environmentScoped?: boolean;
    readonly docs: { readonly examples: { readonly change: object } };
  };
  readonly operations: readonly Operation[];
}

/** Creates an item of a plain resource, of a body that nobody has sent before. */
export function createsItem(
  { declaration: { path, environmentScoped } }: SampledResource,
  input: (owner: Ask, world: World) => Promise<object>,
): Sample["arrange"] {
  return async (owner, world) => {
    const { body } = await owner(`POST ${path}`, await input(owner, world));
    const params = { id: body.data.id as string };
    return { params, ...(environmentScoped === false && { environmentScoped }) };
  };
}

/** The samples of a plain resource: each of its operations, on an item of its own. */
export function resourceSamples(
  resource: SampledResource,
  input: (owner: Ask, world: World) => Promise<Readonly<Record<string, unknown>>>,
  change: object = resource.declaration.docs.examples.change,
): readonly Sample[] {
  const { path } = resource.declaration;
  const create = createsItem(resource, input);
  const arrangements: Readonly<Record<string, Sample["arrange"]>> = {
    [`GET ${path}`]: async () => ({ query: { limit: "2" } }),
    [`POST ${path}`]: async (owner, world) => ({ body: await input(owner, world) }),
    [`PATCH ${path}/{id}`]: async (owner, world) => ({
      ...(await create(owner, world)),
      body: { ...change },
    }),
  };
  return resource.operations.map(({ id, route }) => ({
    operation: id,
    arrange: arrangements[route] ?? create,
  }));
}
