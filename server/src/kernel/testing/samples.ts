import type { Operation } from "../contract.ts";
import type { Ask, World } from "./world.ts";

/**
 * An example call of an operation that succeeds, with its preconditions. Each domain has sample files. The sweep finds
 * them and fails for an operation without a sample.
 */
export interface Sample {
  readonly operation: string;
  /** Distinguishes several samples of one operation. */
  readonly name?: string;
  /** Creates the preconditions as an owner and returns the input. */
  readonly arrange: (owner: Ask, world: World) => Promise<Arranged>;
}

export interface Arranged {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The caller. Default: the owner. */
  readonly by?: Ask;
  /** The expected status. Default: the declared one. */
  readonly status?: number;
  /** False if the resource is shared by all environments, or if there is no resource. */
  readonly environmentScoped?: boolean;
  /** False if users without access to the resource can read it too, such as a catalog. */
  readonly partitioned?: boolean;
  /** True if every well-formed value is valid, such as a topic name. */
  readonly openParams?: boolean;
}

/** Resource properties used by samples. */
interface SampledResource {
  readonly declaration: {
    readonly path: string;
    readonly environmentScoped?: boolean;
    readonly docs: { readonly examples: { readonly change: object } };
  };
  readonly operations: readonly Operation[];
}

/** Creates an item of a plain resource with a unique body. */
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

/** The samples of a plain resource: each operation on a separate item. */
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
