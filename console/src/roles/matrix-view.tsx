import { Check, Minus } from "lucide-react";
import { Fragment, useMemo } from "react";
import type { Schemas } from "../data/api.ts";
import { Empty } from "../ui/feedback.tsx";
import { toWords } from "../ui/words.ts";
import { expandEntries, type MatrixArea } from "./matrix.ts";
import type { Draft } from "./draft.ts";
import { PlainButton } from "../ui/form/button.tsx";

type Role = Schemas["Role"];

interface MatrixProps {
  readonly roles: readonly Role[];
  readonly areas: readonly MatrixArea[];
  readonly catalog: readonly string[];
  readonly mayWrite: boolean;
  readonly onDraft: (draft: Draft) => void;
}

/** One row per permission, one column per role. A click on a column header opens the role. */
export function Matrix({ roles, areas, catalog, mayWrite, onDraft }: MatrixProps) {
  const held = useMemo(
    () => new Map(roles.map((role) => [role.id, expandEntries(role.permissions, catalog)])),
    [roles, catalog],
  );
  if (areas.length === 0) return <Empty title="No matching permissions" />;
  return (
    <div className="matrix scroll" role="region" aria-label="Roles and permissions" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Permission</th>
            {roles.map((role) => (
              <th key={role.id} scope="col" className="matrix-role">
                <PlainButton
                  title={
                    mayWrite
                      ? role.builtIn
                        ? `Create a role from a copy of ${nameOf(role)}`
                        : `Edit ${nameOf(role)}`
                      : role.description
                  }
                  disabled={!mayWrite}
                  onClick={() => onDraft(role.builtIn ? { role: undefined, from: role } : { role })}
                >
                  {nameOf(role)}
                </PlainButton>
                <span className="muted">
                  {held.get(role.id)?.size}
                  {!role.builtIn && " · custom"}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {areas.map(({ area, permissions }) => (
            <Fragment key={area}>
              <tr className="matrix-area">
                <th scope="rowgroup" colSpan={roles.length + 1}>
                  {toWords(area)}
                </th>
              </tr>
              {permissions.map(({ name, summary }) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                    <span className="muted">{summary}</span>
                  </th>
                  {roles.map((role) => (
                    <td key={role.id}>
                      {held.get(role.id)?.has(name) ? (
                        <Check className="ico ok" role="img" aria-label="Yes" />
                      ) : (
                        <Minus className="ico faint" role="img" aria-label="No" />
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function nameOf({ name, builtIn }: Role): string {
  return builtIn ? toWords(name) : name;
}
