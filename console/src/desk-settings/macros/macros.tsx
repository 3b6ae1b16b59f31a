import { useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useRefusal } from "../../data/people.ts";
import { Keys } from "../../ui/key.tsx";
import { NEW, Shelf, useOpen } from "../frame/shelf.tsx";
import { MacroEditor } from "./macro-editor.tsx";
import { toSummary } from "./macro-steps.ts";

const KEYS_MAX = 9;

/** Macros in order: the first nine have a keyboard shortcut on the desk. */
export function Macros() {
  const query = { limit: 50, sort: "position" };
  const { data, error, isPending, refetch } = useOp("macros.list", { query });
  const [open] = useOpen();
  const nameOf = useNames();
  const macros = data?.data ?? [];
  const macro = macros.find(({ id }) => id === open);
  return (
    <Shelf
      label="Macros"
      make="New macro"
      refusal={useRefusal("macros.create")}
      nothing="A macro runs several actions on a ticket, for example reply, add a tag and put on hold."
      items={macros.map(({ id, name, steps }, n) => ({
        id,
        label: name,
        about: toSummary(steps, nameOf),
        mark: n < KEYS_MAX && <Keys keys={`${n + 1}`} />,
      }))}
      {...{ error, isPending }}
      onRetry={() => void refetch()}
    >
      {(macro || open === NEW) && (
        <MacroEditor key={open} macro={macro} position={macros.length + 1} />
      )}
    </Shelf>
  );
}
