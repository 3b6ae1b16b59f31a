/** The value of the approver “manager”. Other approvers have ids as values. */
export const MANAGER = "manager";
export const MANAGER_OPTION = { value: MANAGER, label: "Manager of the requester" };
