import { call, etagOf, type Schemas, useOp } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { EditorForm, LineField } from "../frame/editor-form.tsx";
import { useEditor } from "../frame/use-editor.ts";
import { Select } from "../../ui/form/controls.tsx";

const LEVELS = ["High", "Medium", "Low"] as const;

/** What impact and urgency make of a ticket, and when what is solved is closed. */
export function DeskRules() {
  const { data, error, refetch } = useOp("desk.get_settings");
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={6} />;
  return (
    <div className="settings-scroll scroll">
      <RulesEditor settings={data.data} />
    </div>
  );
}

function RulesEditor({ settings }: { readonly settings: Schemas["DeskSettings"] }) {
  const refusalOf = useRefusals();
  const editor = useEditor({
    initial: { matrix: settings.priorityMatrix, days: String(settings.autoCloseDays) },
    revision: 0,
    stale: "desk.",
    refusal: refusalOf("desk.update_settings"),
    save: async ({ matrix, days }) => {
      const ifMatch = etagOf("desk.get_settings");
      const body = { priorityMatrix: matrix, autoCloseDays: Number(days) };
      await call("desk.update_settings", { body }, ifMatch === undefined ? {} : { ifMatch });
      return { id: "", name: "The desk" };
    },
  });
  const { draft, change, errorOf } = editor;
  const set = (row: number, column: number, priority: number): void =>
    change({
      matrix: draft.matrix.map((line, y) =>
        line.map((one, x) => (y === row && x === column ? priority : one)),
      ),
    });
  return (
    <EditorForm title="Priority of an incident" editor={editor} consequence="">
      <table className="priority-matrix">
        <caption className="hide">Priority by impact and urgency</caption>
        <thead>
          <tr>
            <th scope="col">Impact</th>
            {LEVELS.map((level) => (
              <th key={level} scope="col">
                Urgency {level.toLowerCase()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {draft.matrix.map((line, row) => (
            <tr key={LEVELS[row]}>
              <th scope="row">{LEVELS[row]}</th>
              {line.map((priority, column) => (
                <td key={column}>
                  <Select
                    isBare
                    className={`field prio-${priority}`}
                    aria-label={`Impact ${LEVELS[row]}, urgency ${LEVELS[column]}`}
                    value={priority}
                    onChange={({ target }) => set(row, column, Number(target.value))}
                  >
                    {[1, 2, 3, 4, 5].map((n) => (
                      <option key={n} value={n}>
                        P{n}
                      </option>
                    ))}
                  </Select>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <LineField
        label="Days until a resolved incident is closed by itself"
        value={draft.days}
        onChange={(days) => change({ days: days.replaceAll(/\D/g, "") })}
        error={errorOf("/autoCloseDays")}
        help="0 is never. It holds for tickets that are made or changed from then on."
      />
    </EditorForm>
  );
}
