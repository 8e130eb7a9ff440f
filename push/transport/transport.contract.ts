// The contract of the transport port: one suite for every adapter.
import { describe } from 'vitest';
import { budgetCases, closeCases } from './contract/budgets.contract.ts';
import { handshakeCases, openingCases } from './contract/opening.contract.ts';
import type { Subject } from './contract/stand.contract.ts';
import { channelCases, messageCases } from './contract/streams.contract.ts';

export function transportContract(name: string, subject: Subject): void {
  describe(name, () => {
    describe('requests', () => handshakeCases(subject));
    describe('openings', () => openingCases(subject));
    describe('channels and frames', () => channelCases(subject));
    describe('messages, pings and ends', () => messageCases(subject));
    describe('budgets', () => budgetCases(subject));
    describe('the end', () => closeCases(subject));
  });
}
