// The contract of the transport port: one suite for every adapter.
import { describe, test } from 'vitest';
import { budgetCases, closeCases } from './transport-budgets.contract.ts';
import { openingCases, unfinishedRequests } from './transport-opening.contract.ts';
import type { Subject } from './transport-stand.ts';
import { channelCases, messageCases } from './transport-streams.contract.ts';

export function transportContract(name: string, subject: Subject): void {
  describe(name, () => {
    const unfinishedAreEnded = unfinishedRequests(subject);
    describe('openings', () => openingCases(subject));
    describe('channels and frames', () => channelCases(subject));
    describe('messages, pings and ends', () => messageCases(subject));
    describe('budgets', () => budgetCases(subject));
    describe('the end', () => closeCases(subject));
    test('ends malformed requests, requests that trickle in and connections that send nothing', { timeout: 40_000 }, unfinishedAreEnded);
  });
}
