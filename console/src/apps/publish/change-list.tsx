import { Minus, Pencil, Plus } from "lucide-react";
import { toWords } from "../../ui/words.ts";
import type { Change } from "../draft/difference.ts";
import { PlainButton } from "../../ui/form/button.tsx";

const ICONS = { added: Plus, removed: Minus, changed: Pencil } as const;

/** A list of differences, one per line. */
export function ChangeList({
  changes,
  onJump,
}: {
  readonly changes: readonly Change[];
  readonly onJump?: (at: string) => void;
}) {
  if (changes.length === 0) return <p className="muted">No changes</p>;
  return (
    <ul className="change-list">
      {changes.map(({ kind, what, fields, at }, n) => {
        const Icon = ICONS[kind];
        return (
          <li key={n} className={kind}>
            <Icon className="ico" aria-label={toWords(kind)} />
            {onJump && at !== undefined ? (
              <PlainButton type="button" className="link" onClick={() => onJump(at)}>
                {what}
              </PlainButton>
            ) : (
              <span>{what}</span>
            )}
            {fields.length > 0 && (
              <span className="muted">
                {fields.map((name) => toWords(name).toLowerCase()).join(", ")}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
