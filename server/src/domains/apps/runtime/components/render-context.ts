import type { Component } from "../../definition/component.ts";
import type { ResolvedComponent } from "../browser/page-state.ts";
import type { ResolveContext } from "../sources/load-sources.ts";

/** A component to render, in its page. */
export interface RenderContext extends ResolveContext {
  readonly id: string;
  readonly component: Component;
  /** Its own fields, evaluated. */
  readonly props: Readonly<Record<string, unknown>>;
  /** Renders a list of child components. */
  readonly renderChildren: (
    pointer: string,
    components: readonly unknown[],
  ) => Promise<ResolvedComponent[]>;
}

export type RenderedComponent = ResolvedComponent extends infer One
  ? One extends unknown
    ? Omit<One, "id">
    : never
  : never;

export function loadedOf({ component, loaded }: Pick<RenderContext, "component" | "loaded">) {
  const entry = loaded.get(component.dataSource ?? "");
  return entry && "value" in entry ? entry : undefined;
}

export function sourceValue(ctx: Pick<RenderContext, "component" | "loaded">): unknown {
  return loadedOf(ctx)?.value;
}
