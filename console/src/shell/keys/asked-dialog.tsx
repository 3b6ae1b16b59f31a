import { Confirm } from "../../ui/overlay/confirm.tsx";
import { endAsking, useAsked } from "./asked-action.ts";

/** Asks before an action that can't be undone. Escape and Enter cancel it. */
export function AskedDialog() {
  const asked = useAsked();
  if (!asked) return null;
  return (
    <Confirm
      title={asked.title}
      act={asked.act}
      keep="Cancel"
      onAct={() => {
        endAsking();
        asked.run();
      }}
      onClose={endAsking}
    >
      <p>{asked.text}</p>
    </Confirm>
  );
}
