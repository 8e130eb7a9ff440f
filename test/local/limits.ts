// Limits of the programs that tests and the cluster of a clone start on this machine.

export const localLimits = {
  localStartMsMax: 120_000,
  /** A program that has not ended this long after SIGTERM is killed. */
  localStopMsMax: 10_000,
  /** Attempts with other ports, if another program takes a port before the start. */
  localStartAttemptsMax: 5,
  /** A service of the local cluster that has not stopped after this is killed. */
  localServiceStopMsMax: 20_000,
  /** A process of a local cluster that takes longer to respond is not ready. */
  localClusterResponseMsMax: 5000,
  /** Time until the next process of a local cluster is ready, and until the folds are at the end of the frames. */
  localClusterReadyMsMax: 120_000,
  localClusterDrainMsMax: 300_000,
  /** Time to stop a whole local cluster: services, then Kafka and other programs. */
  localClusterStopMsMax: 120_000,
} as const;
