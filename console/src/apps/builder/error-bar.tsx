import { TriangleAlert } from "lucide-react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { place } from "../../data/place.ts";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import { childrenOf, type Component } from "../draft/draft.ts";
import { PlainButton } from "../../ui/form/button.tsx";

interface ErrorBarProps {
  readonly app: Schemas["App"];
  readonly problems: readonly { readonly path: string; readonly message: string }[];
  readonly error: Error | null;
  readonly onJump: (at: string) => void;
}

/** Problems of the draft, and errors for users in the last hour. Each links to its place. */
export function ErrorBar({ app, problems, error, onJump }: ErrorBarProps) {
  const isBuilder = useMay()("apps.errors");
  const live = isBuilder && app.environments[place.environment] !== null;
  const errors =
    useOp("apps.errors", { params: { id: app.id } }, { enabled: live, refetchInterval: 30_000 })
      .data?.data.errors ?? [];
  if (problems.length === 0 && errors.length === 0 && !error) return null;
  return (
    <div className="error-bar">
      {error && <p className="bad-words">{error.message}</p>}
      {problems.length > 0 && (
        <details open={problems.length < 3}>
          <summary>
            <TriangleAlert className="ico" /> {count(problems.length, "problem")} in the draft
          </summary>
          <ul>
            {problems.slice(0, 30).map(({ path, message }, n) => (
              <li key={n}>
                <PlainButton type="button" className="link" onClick={() => onJump(toPart(path))}>
                  {path}
                </PlainButton>{" "}
                {message}
              </li>
            ))}
          </ul>
        </details>
      )}
      {errors.length > 0 && (
        <details>
          <summary>
            <TriangleAlert className="ico" />{" "}
            {count(
              errors.reduce((sum, one) => sum + one.count, 0),
              "fault",
            )}{" "}
            in {place.environment} in the last hour
          </summary>
          <ul>
            {errors.map(({ page, componentId, message, count: times, lastAt }, n) => (
              <li key={n}>
                <PlainButton
                  type="button"
                  className="link"
                  onClick={() => onJump(findPart(app, page, componentId))}
                >
                  {page} {componentId.startsWith("_") ? "" : componentId}
                </PlainButton>{" "}
                {message}{" "}
                <span className="muted">
                  {times} × · <Ago at={lastAt} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** Returns the component, page or source that a path belongs to. */
function toPart(path: string): string {
  const [component] = /^\/pages\/\d+\/components(\/.*)?\/\d+(?=\/|$)/.exec(path) ?? [];
  const [part] = /^\/(pages|dataSources)\/\d+/.exec(path) ?? [];
  return component ?? part ?? "/";
}

/** Finds a component on a page by its id: an explicit one, or one derived from its position. */
function findPart({ pages }: Schemas["App"], path: string, id: string): string {
  const n = Math.max(
    0,
    pages.findIndex((page) => page.path === path),
  );
  const base = `/pages/${n}/components`;
  const search = (components: readonly Component[], within: string): string | undefined => {
    for (const [index, component] of components.entries()) {
      const at = `${within}/${index}`;
      const own = component.id ?? `_${at.replaceAll(/[^0-9]+/g, "-").replace(/^-/, "")}`;
      if (own === id) return base + at;
      for (const inner of childrenOf(component)) {
        const found = search(inner.components, at + inner.pointer);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
  return search((pages[n]?.components ?? []) as readonly Component[], "") ?? `/pages/${n}`;
}
