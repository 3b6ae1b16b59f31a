import type { Schemas } from "../data/api.ts";
import { count } from "../ui/words.ts";
import { Confirm } from "../ui/overlay/confirm.tsx";

/** Confirms the deletion of a resource that others may refer to; waits until the references are loaded. */
export function DeleteDialog(props: {
  readonly name: string;
  readonly usedIn: readonly Schemas["Referrer"][] | undefined;
  /** The text if there are no references. */
  readonly unused: string;
  readonly onAct: () => void;
  readonly onClose: () => void;
}) {
  const { name, usedIn = [], unused, onAct, onClose } = props;
  return (
    <Confirm
      title={`Delete ${name}?`}
      act="Delete"
      isBusy={props.usedIn === undefined}
      onAct={onAct}
      onClose={onClose}
    >
      {usedIn.length === 0
        ? unused
        : `${count(usedIn.length, "reference")} would fail: ${usedIn.map((one) => one.name).join(", ")}.`}
    </Confirm>
  );
}
