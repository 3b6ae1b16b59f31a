import { Construction } from "lucide-react";
import type { Me } from "../../data/people.ts";

/** Shows why changes are rejected. */
export function MaintenanceBanner({ me }: { readonly me: Me | undefined }) {
  if (!me?.maintenance) return null;
  const { message } = me.maintenance;
  return (
    <div className="offline" role="status">
      <Construction className="ico" />
      <span className="grow">
        Maintenance mode is on. You can read all data, but{" "}
        {me.isOperator ? "only operators can change it." : "you can't change it now."} {message}
      </span>
    </div>
  );
}
