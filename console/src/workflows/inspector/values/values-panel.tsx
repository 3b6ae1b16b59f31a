import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { type ScopeSource, useCaret } from "../../../code/index.ts";
import { JsonTree } from "../../../ui/json/json-tree.tsx";
import { useIsNarrow } from "../../../ui/behaviour/narrow.ts";
import { summarizeValue } from "../../../ui/json/value.ts";
import { Button, PlainButton } from "../../../ui/form/button.tsx";

/** The values that the step's expressions can use, nearest first. "Use" inserts one at the caret. */
export function ValuesPanel({ sources }: { readonly sources: readonly ScopeSource[] }) {
  const { field } = useCaret();
  const isNarrow = useIsNarrow();
  const [isShown, setShown] = useState(!isNarrow);
  const [open, setOpen] = useState<string>();
  return (
    <section className="inspector-values" aria-label="Values">
      <h2>
        <PlainButton type="button" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          <ChevronRight className="ico" />
          <span className="grow">Values</span>
          <span className="muted cut">
            {field ? `Use inserts into ${field.label}` : "Select a field to insert a value"}
          </span>
        </PlainButton>
      </h2>
      <div className="scroll" tabIndex={-1} hidden={!isShown}>
        {sources.map(({ path, title, value }) => (
          <div key={path}>
            <PlainButton
              type="button"
              className="values-head"
              aria-expanded={open === path}
              onClick={() => setOpen(open === path ? undefined : path)}
            >
              <ChevronRight className="ico" />
              <b className="cut">{title}</b>
              <span className="muted cut">
                {value === undefined ? "no value yet" : summarizeValue(value)}
              </span>
            </PlainButton>
            {open === path && (
              <div className="values-tree">
                {value === undefined ? (
                  <p className="muted">
                    No values yet. Run the workflow, test the step or pin data.
                  </p>
                ) : (
                  <>
                    {field && (
                      <Button
                        className="values-use"
                        type="button"
                        onPointerDown={(event) => event.preventDefault()}
                        onClick={() => field.insert(path)}
                      >
                        Use <span className="mono">{path}</span>
                      </Button>
                    )}
                    <JsonTree value={value} path={path} label={title} onUse={field?.insert} />
                  </>
                )}
              </div>
            )}
          </div>
        ))}
      </div>
    </section>
  );
}
