import { domain } from "#kernel/domain.ts";
import {
  BackupDeleted,
  BackupFailed,
  BackupMade,
  BackupRequested,
  BackupVerified,
  VerificationRequested,
} from "./backup-events.ts";
import { backupJob, deleteBackupJob, verifyBackupJob } from "./backup-jobs.ts";
import { deleteBackup, readBackups, startBackup, verifyBackup } from "./backups.ts";
import { readOperationTimes, readLoad, readSettingsInForce, readLog } from "./load.ts";
import { MaintenanceEnded, MaintenanceStarted, setMaintenance } from "./maintenance.ts";
import {
  addOperator,
  readOperators,
  OperatorGranted,
  OperatorRevoked,
  removeOperator,
} from "./operator.ts";
import { readInstallation } from "./overview.ts";
import { readStorage } from "./storage.ts";
import {
  discardJob,
  JobDiscarded,
  JobRetried,
  readFailedJobs,
  readWork,
  retryJob,
} from "./work.ts";

export { operatorAccess, recordAtHome } from "./access.ts";
export { runHostCommand } from "./host-command.ts";
export { grantOperator, insertOperator, OperatorGranted } from "./operator.ts";

export const installation = domain({
  name: "installation",
  summary: "Operation of the installation.",
  environmentScoped: false,
  permissions: [],
  events: [
    OperatorGranted,
    OperatorRevoked,
    MaintenanceStarted,
    MaintenanceEnded,
    BackupRequested,
    BackupMade,
    BackupFailed,
    VerificationRequested,
    BackupVerified,
    BackupDeleted,
    JobRetried,
    JobDiscarded,
  ],
  operations: [
    readInstallation,
    readLoad,
    readOperationTimes,
    readWork,
    readFailedJobs,
    retryJob,
    discardJob,
    readStorage,
    readSettingsInForce,
    readLog,
    setMaintenance,
    readBackups,
    startBackup,
    verifyBackup,
    deleteBackup,
    readOperators,
    addOperator,
    removeOperator,
  ],
  jobs: [backupJob, verifyBackupJob, deleteBackupJob],
});
