import { useBlocker } from "@tanstack/react-router";
import type { FormFrame } from "../../ui/form/binding.ts";
import { Confirm } from "../../ui/overlay/confirm.tsx";

/** Asks before the user leaves a page with unsaved changes of a form. */
export function LeaveGuard({ form }: { readonly form: Pick<FormFrame, "isBusy" | "isDirty"> }) {
  const { isBusy, isDirty } = form;
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty && !isBusy,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Confirm
      title="Discard changes?"
      act="Discard"
      keep="Keep editing"
      onAct={blocker.proceed}
      onClose={blocker.reset}
    >
      Your changes on this page are not saved.
    </Confirm>
  );
}
