//! Which words and phrases belong to which class: English as it is written in Ghana, Pidgin and Twi.
//!
//! Accents are folded, so that `ɛ` is also found as `e`. A word that ends in `+` has its other forms too.

/// The classes that patterns name.
pub(super) const WORDS: &[(&str, &str)] = &[
    // What is denied, forbidden, warned of.
    (
        "not",
        "not, never, dont, wont, cannot, cant, shouldnt, doesnt, didnt, havent, hasnt, isnt, nobody, \
         no one, noone, neither, nor, no staff, no agent, no officer, no bank, no employee, none of us, \
         no dey, no go, nor dey, mma, mfa, nnfa, nkyere, nka nkyere, monnye, nnye, enye, ensoma",
    ),
    ("no", "no, zero, without, free of"),
    (
        "warning",
        "beware, be aware of, fraudster+, scammer+, con men, conmen, thief, thieves, criminal+, imposter+, \
         impostor+, if anyone, if someone, if somebody, if anybody, anyone who, someone who, anybody who, \
         anyone asking, anyone claiming, someone claiming, people claiming, persons claiming, callers, \
         people who, persons who, those who ask, calls from, calls asking, messages asking, texts asking, \
         calls claiming, messages claiming, asking you to, asks you to, asked you to, ask you to, \
         report anyone, report any, avoid scams, avoid fraud by, ignore calls, ignore messages, \
         ignore any, if you are asked, if asked, when asked, obi bisa, atɛmfo",
    ),
    (
        "decoy",
        "delay+, ignore+, hesitate+, worry, panic, forget, fail, miss, waste, be late, hang up, regret, \
         sleep on, joke, take this lightly, be afraid, let this",
    ),
    // Secrets.
    (
        "hand-over",
        "send+, sending, share+, give+, giving, tell+, provide+, forward+, submit+, supply, disclose, \
         reveal, reply, respond with, text us, text me, read out, call out, drop, mention, furnish, \
         confirm+, verify+, validate+, give me, gimme, show me, whatsapp, bring, make you send, make u send, \
         make you give, ma me, mane, mane me, kyerɛ me, kyerɛ yɛn, ka kyerɛ, fa ma, fa brɛ, fa bra, de bra, de brɛ, \
         soma, soma me, kyerɛw, snd, sned, state your, indicate your, surrender, let me have, let us have, need+, \
         require+, want",
    ),
    (
        "enter",
        "enter+, type+, input+, key in, punch in, put in, insert+, fill in, use your, press your, fa hyɛ mu",
    ),
    (
        "secret",
        "pin, pins, pincode, pinnumber, momopin, otp, otps, password+, passcode+, pass code, pass word, \
         secret code, secret number, secret pin, pin code, pin number, momo pin, mobile money pin, \
         wallet pin, atm pin, card pin, security code, cvv, cvc, cvv2, verification code, one time code, \
         one time password, one time pin, activation code, authorization code, confirmation code, \
         login details, log in details, login credentials, card details, bank details, card number, \
         atm number, atm card details, atm card number, banking details, online banking details, \
         secret answer, mothers maiden name, ahintasɛm, kokoam nɔma, kokoam nɔmba, ahintaw nɔma",
    ),
    (
        "code",
        "code, codes, digit code, digits code, digit number, digits, six digit, sms code, whatsapp code, \
         token, 6digit, 4digit, kɔd",
    ),
    (
        "received",
        "you received, you receive, you will receive, you have received, u received, u receive, you got, \
         you get, u get, you just got, you just received, sent to you, sent to your, sent you, sent u, came to your, \
         on your phone, on your line, to your phone, to your line, that came, that comes, that come, \
         you go see, you go receive, wey come, wey dey come, will come, just came, just sent, by sms, \
         we just, i just, a wo nsa aka, aba wo phone, bae no",
    ),
    ("is", "is, as, are, be, ne, yɛ, use, using, number, no, value"),
    (
        "me",
        "me, us, mine, our agent, our officer, our customer care, this number, this line, the agent, the officer, my agent, him, her",
    ),
    // Approval of payments.
    (
        "approve",
        "approve, approving, accept, accepting, authorise, authorize, allow, allowing, okay, confirm, press 1, \
         press one, dial 1, select 1, click yes, say yes, gye to mu, pene so, pene",
    ),
    (
        "prompt",
        "prompt, prompts, pop up, popup, pop ups, cash out, cashout, allow cash, cash out request, \
         payment request, pending approval, pending approvals, my approvals, pending transaction, ussd message, \
         momo message, debit request, withdrawal request",
    ),
    // Wrong transfers.
    (
        "mistake",
        "mistake, mistakenly, wrongly, wrong transfer, wrong number, wrong person, wrong account, \
         wrong wallet, wrong line, erroneously, in error, by error, accidentally, by accident, unknowingly, \
         wrong momo, mfomso, mfomsoɔ, mistak",
    ),
    (
        "give-back",
        "send back, send it back, send me back, send the money back, send my money, send them back, return it, \
         return the, return my, return money, return that, return to, refund me, refund it, refund us, refund the, \
         reverse it, reverse the, reverse to, reverse my, resend, resend it, transfer back, transfer it back, \
         pay back, give back, give me back, give it back, bring back, bring my, bring am back, send am back, \
         return am, san de bra, san mane, san fa, fa san, fa bra, de bra, fa brɛ, san de brɛ, mane me bio, \
         push it back, push back, help me reverse, reverse",
    ),
    // Prizes.
    (
        "prize",
        "you have won, you ve won, youve won, u have won, u ve won, you won, u won, has won, have won, \
         you are a winner, you are the winner, you are winner, lucky winner, lucky winners, lucky customer, lucky number, \
         lucky subscriber, one of the winners, one of our winners, one of our lucky, among the winners, selected winner, \
         been selected as a winner, grand prize, cash prize, star prize, winning number, your winning, your winnings, \
         your prize, claim prize, claim the prize, promo winner, won the, won a, won an, won ghs, won cash, been awarded, \
         you don win, you don chop, u don win, don win, dey win, wey win, woadi nkunim, woadi nkonim, wodi nkunim, \
         adi nkunim, woanya akyɛdeɛ, akyɛdeɛ, akyede, winner of, number won, line won, sim won, number has won, \
         emerged winner, emerged as winner, emerged a winner, jackpot winner, lottery winner",
    ),
    (
        "selected",
        "selected, chosen, picked, drawn, shortlisted to receive, nominated, randomly selected, computer selected, \
         been approved to receive, entitled to, qualify to receive, qualified to receive, eligible to receive, \
         eligible for",
    ),
    (
        "windfall",
        "prize, prizes, reward+, gift+, bonus, cash, money, ghs, cedis, car, phone, iphone, laptop, grant, \
         compensation, relief, stimulus, allowance, fund+, giveaway, voucher, sika, motor, tv, fridge, dollars, support",
    ),
    ("chance", "chance to win, could win, to win, can win, may win, win big, stand to win"),
    (
        "claim",
        "claim+, redeem, collect your, receive your, cash your, pick your, gye wo, bɛgye, kɔgye",
    ),
    ("congratulations", "congratulations, congrats, congratulation, hurray, good news, mo, ayekoo"),
    // Fees that come first.
    (
        "fee",
        "registration fee, processing fee, processing fees, activation fee, clearance fee, clearing fee, clearance fees, \
         facilitation fee, commitment fee, insurance fee, release fee, transfer fee, administrative fee, admin fee, \
         handling fee, upfront fee, verification fee, withdrawal fee, training fee, documentation fee, \
         customs fee, customs duty, customs charges, storage fee, stamp fee, stamp duty, form fee, forms fee, membership fee, \
         refundable fee, refundable deposit, registration charge, processing charge, processing charges, \
         activation charge, delivery charges, small fee, little fee, service fee, upgrade fee, tax fee, \
         conversion fee, linking fee, legal fee, protocol fee, agent fee, agency fee, medical fee, medicals fee, medical fees, \
         police clearance fee, uniform fee, visa fee, visa fees, file fee, file opening fee, interview fee, induction fee, \
         card fee, atm card fee, account opening fee, connection fee, collection fee, claim fee, claims fee, courier fee, \
         courier charges, shipping fee, reconnection fee, fee of, fees of, charge of, charges of, advance payment, \
         initial deposit, security deposit, caution fee, upfront payment, registration deposit, part payment, \
         processing money, small something, something small, registration money, form money, insurance deposit, \
         loan insurance, guarantee fee, commitment deposit, deposit of, duty of, to process, for processing, for registration, \
         for the form, for clearance, as registration, as processing, as insurance, as commitment, as security",
    ),
    (
        "pay",
        "pay, paying, send, sending, deposit+, transfer+, remit, make payment, make a payment, payment of, momo, tua, tua ka, fa tua, bɛtua, mane, drop",
    ),
    (
        "first",
        "before, first, upfront, in advance, to receive, to get, to claim, to release, to secure, to unlock, to process, \
         to activate, to start, to collect, to withdraw, to redeem, to qualify, to begin, to join, to register, to access, \
         to enable, to complete your, to facilitate, to be released, to be processed, so that, and receive, and get, \
         and collect, make we, kan, ansa, to deliver, for delivery, for release, to have it, to reserve, to confirm your",
    ),
    (
        "settled",
        "deducted, waived, was received, been received, receipt, refunded, will be deducted, included, been paid, was paid, already paid, thank you for paying",
    ),
    // What is promised.
    (
        "loan",
        "loan+, soft loan, quick loan, cash loan, business loan, microloan, micro loan, bosea, boseabɔ",
    ),
    (
        "grant",
        "grant, grants, cash grant, empowerment, stimulus, relief fund, palliative, youth fund, start up fund, business support, bursary, scholarship+, financial assistance, government support, covid relief, leap, yea fund, donation+",
    ),
    (
        "job",
        "job, jobs, vacancy, vacancies, employment, recruitment, recruit+, enlistment, enlist+, hiring, slot, slots, protocol, \
         work permit, position+, part time, data entry, online work, online job, work from home, home based, typing job, adwuma, \
         security work, factory work, appointment letter, employment letter, offer letter",
    ),
    (
        "visa",
        "visa, visas, travel abroad, work abroad, study abroad, green card, visa lottery, dv lottery, canada, dubai, qatar, schengen, poland, usa, australia, germany, travel and tour, sponsorship, aburokyire, aburokyiri",
    ),
    (
        "parcel",
        "parcel+, package+, shipment+, consignment+, gift box, box of, luggage, container, your items, your goods, delivery from",
    ),
    (
        "customs",
        "customs, airport, kotoka, port, tema port, harbour, harbor, clearance, clearing, clearing agent, seized, impounded, held, on hold, detained",
    ),
    (
        "fortune",
        "inheritance, next of kin, late client, deceased, beneficiary of, unclaimed, million dollars, million usd, million pounds, million euros, million cedis, consignment box, gold bars, gold dust, trunk box, bequeathed, compensation fund, atm card worth, dormant account, estate of, lottery fund, diplomat, my late husband, my late father, late husband, late father",
    ),
    // Returns.
    (
        "invest",
        "invest+, investment+, deposit+, trading, forex, bitcoin, btc, crypto, cryptocurrency, usdt, binary, bet, stake+, contribute+, put, pay, join, send, start with, sika",
    ),
    (
        "returns",
        "return+, profit+, income, winning+, roi, earning+, interest, payout+, payback, dividend+, result+",
    ),
    (
        "guarantee",
        "guaranteed, guarantee, guarantees, 100 percent sure, sure, assured, risk free, no risk, zero risk, riskfree, no loss, never fails, fixed, legit",
    ),
    (
        "doubling",
        "double your, doubles your, double ur, doubling, doubled, triple your, multiply your, multiplies, multiply, x2, x3, x5, x10, times two, in multiples, money doubling, bubu sika, two times, three times, 2x, 3x, 5x, 10x",
    ),
    (
        "period",
        "daily, weekly, every day, every week, per day, per week, a day, a week, hourly, within 24, in 24, within hours, in hours, in 30 minutes, in minutes, within minutes, within 30, in one hour, in 1 hour, within 1, in just, 24hours, 24hrs, 48hrs, da biara, dabiara, instant, instantly",
    ),
    (
        "gain",
        "get, receive, earn+, earning, take home, cash out, collect, take, becomes, become, withdraw, back, pay you, chop, nya, wobɛnya, make",
    ),
    (
        "currency",
        "ghs, ghc, ghc, gh, cedis, cedi, dollars, dollar, usd, euros, euro, pounds, gbp, naira, sidi",
    ),
    // Gambling, rituals, cures.
    (
        "gambling",
        "betting, casino, jackpot, sportybet, betway, bet9ja, 1xbet, odds, fixed match, fixed matches, fixed game, fixed games, correct score, correct scores, sure odds, banker, two sure, 2 sure, 3 sure, lotto, lotto numbers, roulette, slots game, free spins, freebet, free bet, free bets, bet slip, betslip, bet code, booking code, place your bet, place a bet, place bets, bet now, aviator, spin and win, accumulator, punter+, wager+, poker, live bet, vag lotto, nlo numbers, kentosi, predictor",
    ),
    (
        "ritual",
        "ritual+, sakawa, illuminati, juju, mallam, mallams, spiritualist, spiritual help, spiritual money, fetish priest, occult, brotherhood, native doctor, money ritual, lottery numbers, juju man, love spell, spell caster, voodoo, charm, instant wealth, spiritual direction, sika aduro, sikaduro, talisman",
    ),
    (
        "cure",
        "cure+, heals, permanently, 100 percent natural, miracle, reverses, eliminates, no side effects, without side effects, no side effect, say goodbye to, get rid of, breakthrough, flush out, wipes out, sa yadeɛ, bɛsa, ɛsa, reverse",
    ),
    (
        "disease",
        "diabetes, sugar, hypertension, high blood pressure, bp, cancer, fibroid+, hiv, aids, hepatitis, infertility, stroke, asthma, prostate, arthritis, ulcer+, piles, kooko, barrenness, weak erection, manhood, sickness, disease+, ailment+, covid, infection+, sickle cell, epilepsy, kidney, gonorrhea, candidiasis, impotence, premature ejaculation, yadeɛ, yareɛ, asikyire yareɛ, belly fat, blindness, glaucoma, malaria",
    ),
    (
        "remedy",
        "herbal, bitters, mixture, tea, capsule+, syrup, supplement+, concoction, tonic, detox, herb+, oil, slimming, powder, pill+, product, remedy, aduro, medicine, drink",
    ),
    (
        "boast",
        "enlarge your, enlargement, bigger manhood, last longer in bed, lose weight fast, lose weight in, lose 10kg, lose 5kg, kg in, bigger buttocks, hip and bum, bum enlargement, flat tummy in, slim in, skin whitening, bleach+ your, doctors hate, doctors are shocked, works like magic, no need for surgery, without surgery, throw away your, stop taking your",
    ),
    // Senders.
    (
        "institution",
        "mtn, momo, mobile money, vodafone, telecel, airteltigo, airtel, tigo, at money, gcb, ecobank, stanbic, absa, fidelity bank, \
         calbank, cal bank, gtbank, zenith, uba, access bank, prudential bank, consolidated bank, cbg, adb, republic bank, \
         societe generale, bank of ghana, bog, gra, ssnit, ecg, ghana water, gwcl, nia, nca, police, cid, eoco, interpol, \
         immigration, court, dvla, nhis, customs, facebook, whatsapp, instagram, your bank, the bank, bank, the network, customer care, \
         customer service, head office, ministry, government, data protection, electoral commission, cyber security, \
         cybercrime, the president, opay, gmoney, g money, hubtel, expresspay, zeepay",
    ),
    (
        "officer",
        "i am calling from, am calling from, calling from, this is officer, i am officer, detective, inspector, from head office, from mtn, from telecel, from vodafone, from ecg, from the bank, customer care agent, we are calling from, agent from, representative, manager from, this is mtn, this is telecel, this is your bank, this is the police, me frɛ wo firi",
    ),
    (
        "asset",
        "account, acct, accounts, a c, sim, sim card, simcard, line, number, wallet, momo, card, atm, atm card, mobile money, meter, profile, whatsapp, facebook, ghana card, nhis card, passport, page, akontabuo, licence, license, email, mailbox, internet banking, app",
    ),
    (
        "blocked",
        "block, blocked, blocking, suspend+, suspension, deactivate+, deactivation, terminate+, termination, closed, close, closure, freeze, frozen, lock, locked, restrict+, disable+, bar, barred, disconnect+, disconnection, cancel, cancelled, canceled, deleted, delete, blacklist+, expire+, hold, limited, hacked, compromised, flagged, tow mu, to mu, cut off, revoked, siw, asiw, bɛsiw",
    ),
    (
        "legal-threat",
        "arrest+, warrant, prosecute+, prosecution, jail, jailed, court action, legal action, face the law, police will, police case, law court, prison, sue, sued, summons, bailiff, eoco, criminal case, expose you, leak+ your, name and shame, post your picture, send your pictures, your nudes, your naked, your contacts will",
    ),
    (
        "verify",
        "verify, verifying, validate, update, updating, confirm, reactivate, re activate, activate, re register, reregister, register, unblock, unlock, restore, upgrade, link, re link, relink, regularise, regularize, secure, renew, avoid, stop this, cancel this, prevent, siesie",
    ),
    (
        "details",
        "account, acct, accounts, sim, sim card, wallet, details, identity, kyc, ghana card, number, line, information, info, registration, profile, card, data, id, meter, momo, login, mobile money, password, pin, it, block, blockage, suspension, deactivation",
    ),
    (
        "reach",
        "click, tap, visit, open, follow, log on, log in, login, sign in, go to, use the link, link below, this link, the link, here, on, at, via, through, by, kliki",
    ),
    (
        "call",
        "call, calling, contact, dial, ring, phone, whatsapp, text, sms, reach, chat, message, dm, inbox, frɛ, frɛ me, hu me, hit me up, hit me, reply, speak to, talk to",
    ),
    (
        "haste",
        "urgent, urgently, immediately, now now, today, asap, right now, at once, within 24 hours, within 24hrs, in 24 hours, within 2 hours, within 1 hour, within 12 hours, within 48 hours, within 30 minutes, within minutes, final notice, final warning, last warning, last chance, before midnight, before end of day, hurry, quick, quickly, fast, sharp sharp, sharp, this minute, instantly, without delay, ntɛm, ntɛm ara, ntɛmpa, seesei ara, seesei, yɛ ntɛm, prɛko pɛ, few hours, tonight, hours left, expires soon, limited slots, few slots, slots left, slots limited, 24hrs, 24hours",
    ),
    // People who are near.
    (
        "relative",
        "mum, mummy, mom, mama, maame, dad, daddy, papa, uncle, auntie, aunty, aunt, sis, sister, bro, brother, grandma, grandpa, nana, wofa, sewaa, my son, my daughter, your son, your daughter, your child, your ward, your brother, your sister, your friend, your cousin, your husband, your wife, baby, my love, my dear, dear, darling, honey, sweetheart, onua, me nua, me dɔ, ɔdɔ, akoa, boss, pastor, massa, chale, charley, its me, it is me, na me, na me be this, ɛyɛ me",
    ),
    (
        "distress",
        "accident, hospital, stranded, stuck, emergency, robbed, stolen, arrested, detained, police station, in trouble, sick, dying, died, funeral, urgent help, help me, rescue, broke, hungry, surgery, operation, ayaresabea, ahokyere, asɛm bi ato me, kidnapped, lost my, spoil, spoiled, spoilt, spoils, got spoilt, fell in, no money on me, not on me, chop money, owe, wahala, in cell, in cells, admitted, blood, armed robbers",
    ),
    (
        "new-number",
        "my new number, new number, new line, new phone, different number, friends phone, friend s phone, using someones phone, using a friends, this is my new, old number, old phone, old line, my phone is bad, my phone is lost, phone fell, phone is spoilt, phone got spoilt, phone spoil, phone don spoil, phone is off, lost my phone, screen broke, mic is bad, cant talk, cannot talk, cant call, cannot call, cant receive calls, in a meeting, me nɔma foforɔ, nɔma foforɔ, new sim",
    ),
    (
        "send-me",
        "send me, send us, send some, send small, send ghs, send gh, send the, send it, send am, send money, lend me, borrow me, help me with, dash me, transfer me, transfer ghs, transfer some, pay for me, give me small, give me some, momo me, send to, transfer to, forward me, make you send, make u send, abeg send, pls send, kindly send, please send, mane me, ma me sika, soma me, fa sika, brɛ me, boa me, bɔ me ka, do me, support me, assist me, sort me, credit me, buy me, recharge me, send momo, i need, urgently need, drop something, drop small, kindly transfer, please transfer, help with",
    ),
    (
        "romance",
        "soldier, us army, widow, widower, engineer abroad, marine engineer, offshore, oil rig, peacekeeping, god fearing man, god fearing woman, single and searching, serious relationship, sugar mummy, sugar mommy, sugar daddy, white lady, white man, love you so much, soul mate, soulmate, lonely, fell in love, hookup, hook up, rich woman, rich lady, rich man, obroni, my fiance",
    ),
    (
        "secrecy",
        "dont tell anyone, do not tell anyone, dont tell anybody, do not tell anybody, tell no one, tell nobody, keep it secret, keep this secret, between us, between me and you, strictly confidential, keep this confidential, keep it confidential, private and confidential, dont inform, do not inform, dont mention to, do not discuss, dont let anyone, do not let anyone, dont let anybody, dont call anyone, do not call anyone, stay on the line, nka nkyerɛ obiara, dont tell your, do not tell your, dont tell my, do not tell my, no tell anybody, no tell person, dont tell mum, dont tell dad",
    ),
    // Work that pays too well.
    (
        "easy-money",
        "like videos, liking videos, like and subscribe, rate hotels, rating products, simple tasks, simple task, easy tasks, complete tasks, completing tasks, daily tasks, online tasks, click ads, watching videos, watch videos, watch ads, just your phone, using your phone, with your phone, with only your phone, no experience, no skills, few hours a day, earn from home, earn money online, make money online, make money from home, earn online, from home, passive income, financial freedom, extra income, be your own boss, network marketing, referral bonus, no work, without working, sit at home, while you sleep, product boosting, boost products, telegram channel, typing work",
    ),
    (
        "no-check",
        "no collateral, without collateral, no guarantor, no guarantors, without guarantor, no credit check, no paper work, no paperwork, no documents, no interview, without interview, no ielts, without ielts, no bank statement, no questions asked, no qualification, no certificate, bad credit, low interest, no refusal, 100 percent visa, guaranteed visa, visa guaranteed, sure visa, guaranteed job, guaranteed slot, protocol slot, protocol slots, backdoor, back door, instant approval, instant disbursement",
    ),
    (
        "giveaway",
        "free data, free airtime, free laptop, free laptops, free money, free cash, free phone, free iphone, free iphones, free gift, free gifts, free 50gb, free 100gb, free internet, free bundle, giving out, giving away, giveaway, sharing money, dashing, cash giveaway, anniversary gift, share free, free visa, free ghs, free scholarship, free registration, dey share, dey dash, dey give, kyɛ sika",
    ),
    (
        "spread",
        "forward this, forward to, share this, share to, share with 10, share with 5, send this to, send to 10, send to all, copy and send, to 10 friends, to 10 people, to 5 groups, to 10 groups, to 20 people, whatsapp groups, to all your contacts, 10 contacts, 5 friends, 12 people, 15 people, with friends, groups, dont break the chain",
    ),
    (
        "cheap",
        "very cheap, cheap price, auction, auctions, auction sale, at giveaway price, giveaway price, giveaway prices, half price, below market, seized cars, seized vehicles, seized goods, customs auction, home used cars, uncustomed, unlocked iphone, london used, clearance auction",
    ),
    (
        "remote",
        "anydesk, any desk, teamviewer, team viewer, quicksupport, quick support, rustdesk, screen share, share your screen, screen sharing, apk, remote access, install this app, download this app, install the app, install this, download this",
    ),
    (
        "swap",
        "sim swap, swap your sim, call forwarding, forward your calls, divert your calls, conditional forwarding",
    ),
    (
        "transfer-menu",
        "transfer money, send money, momo user, option 1, select 1, choose 1, then 1, allow cash, agent number, enter the number, enter amount, enter this number, cash out",
    ),
    // The way out.
    (
        "leave",
        "opt out, optout, opt outs, unsubscribe, unsubscribed, unsub, to opt, stop promos, stop messages, stop msgs, stop these, stop receiving, stop sms, stop texts, stop ads, stop alerts, stop all, stopall, no longer wish, no more messages, no more texts, no more sms, remove me, to be removed, leave this list, manage preferences, email preferences, gyae messages, gyae nkrasɛm, cancel subscription, to stop, stop to, stop on, stop at, if you dont want, not want these, not want to receive, wompɛ, wonpɛ, opted out, dnd, deactivate promos, no want",
    ),
    ("stop", "stop, exit, quit, end, no"),
    (
        "reply",
        "reply, text, send, sms, type, write, respond, whatsapp, dial, kyerɛw, mane, soma, with, keyword, press, just",
    ),
    ("verb-free", "free"),
];
